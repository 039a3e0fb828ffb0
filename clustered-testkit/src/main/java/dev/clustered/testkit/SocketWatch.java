// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * TCP sockets of this JVM that listen and UDP sockets that are bound, by inode. Elsewhere than on
 * Linux it sees none.
 */
record SocketWatch(Set<String> before) implements NothingLeft.Watch {

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final String LISTENING = "0A";

  static SocketWatch begin() {
    return new SocketWatch(Collections.unmodifiableSet(bound().keySet()));
  }

  @Override
  public List<String> left() {
    Map<String, String> now = bound();
    now.keySet().removeAll(before);
    return List.copyOf(now.values());
  }

  /** A description of each socket of this JVM that takes connections or packets, by its inode. */
  private static Map<String, String> bound() {
    Map<String, String> found = new TreeMap<>();
    if (!Files.isDirectory(DESCRIPTORS)) {
      return found;
    }
    Set<String> own = ownInodes();
    for (String protocol : List.of("tcp", "tcp6", "udp", "udp6")) {
      for (String line : table(protocol)) {
        String[] column = line.trim().split(" +");
        boolean takes = protocol.startsWith("udp") || column[3].equals(LISTENING);
        if (takes && own.contains(column[9])) {
          found.put(column[9], describe(protocol, column[1]));
        }
      }
    }
    return found;
  }

  private static List<String> table(String protocol) {
    Path file = Path.of("/proc/self/net", protocol);
    try {
      List<String> lines = new ArrayList<>(Files.readAllLines(file));
      return lines.subList(Math.min(1, lines.size()), lines.size());
    } catch (IOException e) {
      // A kernel without IPv6 has no table for it.
      return List.of();
    }
  }

  private static Set<String> ownInodes() {
    Set<String> found = new TreeSet<>();
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
      descriptors.forEach(descriptor -> inode(descriptor, found));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + DESCRIPTORS, e);
    }
    return found;
  }

  private static void inode(Path descriptor, Set<String> found) {
    try {
      String target = Files.readSymbolicLink(descriptor).toString();
      if (target.startsWith("socket:[")) {
        found.add(target.substring("socket:[".length(), target.length() - 1));
      }
    } catch (IOException e) {
      // Closed since it was listed, so it is not left.
    }
  }

  private static String describe(String protocol, String address) {
    int colon = address.lastIndexOf(':');
    int port = Integer.parseInt(address.substring(colon + 1), 16);
    return "%s socket on port %d (address %s)"
        .formatted(protocol, port, address.substring(0, colon));
  }
}

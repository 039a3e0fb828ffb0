// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the agents of outliving nodes among all processes of this machine. */
final class OutlivingAgents {

  private OutlivingAgents() {}

  /** Those of every node below a directory, in the order of their pids. */
  static List<Long> below(Path nodes) throws IOException {
    return withArgument(nodes + "/");
  }

  /** The one of a node. */
  static List<Long> of(Path home) throws IOException {
    return withArgument(home + "/agent.json");
  }

  private static List<Long> withArgument(String beginning) throws IOException {
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      return processes
          .map(process -> process.getFileName().toString())
          .filter(name -> name.matches("[0-9]+"))
          .map(Long::valueOf)
          .filter(process -> arguments(process).anyMatch(one -> one.startsWith(beginning)))
          .sorted()
          .toList();
    }
  }

  private static Stream<String> arguments(long process) {
    try {
      byte[] all = Files.readAllBytes(Path.of("/proc/" + process + "/cmdline"));
      return Stream.of(new String(all, StandardCharsets.UTF_8).split("\0", -1));
    } catch (IOException e) {
      return Stream.of(); // It has ended meanwhile.
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A short name for a directory of the rank, because the path of a Unix socket has at most 107 bytes
 * and that of a rank may have more. What lies there is the rank's and goes with it; the name goes
 * with this JVM.
 */
final class ShortName {

  private static final String NONE = "-";

  private ShortName() {}

  /** Makes the name, which is none for {@code -}, beside a file of the rank's. */
  static void make(String name, Path file) throws IOException {
    if (name.equals(NONE)) {
      return;
    }
    Path directory = Files.createDirectories(file.resolveSibling("short")).toRealPath();
    Path link = Path.of(name);
    try {
      Path unused = Files.createSymbolicLink(link, directory);
    } catch (FileAlreadyExistsException e) {
      // The command beside may have been faster.
      if (!link.toRealPath().equals(directory)) {
        throw e;
      }
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(link), "clustered-short-name"));
  }

  private static void remove(Path link) {
    try {
      Files.deleteIfExists(link);
    } catch (IOException e) {
      System.err.println("clustered: " + link + " was not removed: " + e);
    }
  }
}

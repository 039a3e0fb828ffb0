// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A directory in which ranks tell one another, and a test, how far they are. Thread-safe. */
record Meeting(Path directory) implements AutoCloseable {

  static Meeting open() throws IOException {
    return new Meeting(Files.createTempDirectory("meeting-"));
  }

  /** For the environment of ranks. */
  String path() {
    return directory.toString();
  }

  /** Who has come. */
  List<String> present() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Waits until so many have come. */
  void await(int count) {
    Eventually.within(Gangs.PATIENCE).isTrue(count + " have come", () -> present().size() >= count);
  }

  @Override
  public void close() throws IOException {
    Directories.delete(directory);
  }
}

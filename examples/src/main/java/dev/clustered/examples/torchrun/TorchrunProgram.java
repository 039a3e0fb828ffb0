// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where {@code torchrun} lies. Immutable and thread-safe.
 *
 * @param searchPath a {@code PATH} that leads to it
 */
record TorchrunProgram(String searchPath) {
  private static final String NAME = "torchrun";
  private static final String PYTHON = "CLUSTERED_PYTHON";

  /**
   * Looks for it beside the Python interpreter that {@code CLUSTERED_PYTHON} names, then on the
   * path.
   *
   * @throws IllegalArgumentException saying where it was looked for and what to do
   */
  static TorchrunProgram find(Map<String, String> environment) {
    String path = environment.getOrDefault("PATH", "");
    Optional<Path> besidePython =
        Optional.ofNullable(environment.get(PYTHON))
            .map(python -> Path.of(python).getParent())
            .filter(TorchrunProgram::has);
    if (besidePython.isPresent()) {
      return new TorchrunProgram(besidePython.get().toAbsolutePath() + File.pathSeparator + path);
    }
    if (Stream.of(path.split(File.pathSeparator)).map(Path::of).anyMatch(TorchrunProgram::has)) {
      return new TorchrunProgram(path);
    }
    throw new IllegalArgumentException(
        "There is no torchrun beside the Python that CLUSTERED_PYTHON names and none on the PATH:"
            + " install torch, and name a Python that has it, as in"
            + " CLUSTERED_PYTHON=/path/python.");
  }

  private static boolean has(Path directory) {
    Path file = directory.resolve(NAME);
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }
}

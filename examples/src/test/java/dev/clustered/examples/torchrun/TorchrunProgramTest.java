// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TorchrunProgramTest {
  @TempDir private Path directory;

  @Test
  void isFoundBesideThePythonThatIsNamed() throws IOException {
    Path python = program("python").resolveSibling("python");
    program("torchrun");

    assertThat(
            TorchrunProgram.find(Map.of("CLUSTERED_PYTHON", python.toString(), "PATH", "/nowhere"))
                .searchPath())
        .isEqualTo(directory + ":/nowhere");
  }

  @Test
  void isFoundOnThePath() throws IOException {
    program("torchrun");
    String path = "/nowhere:" + directory;

    assertThat(TorchrunProgram.find(Map.of("PATH", path)).searchPath()).isEqualTo(path);
    assertThat(
            TorchrunProgram.find(Map.of("CLUSTERED_PYTHON", "/nowhere/python", "PATH", path))
                .searchPath())
        .isEqualTo(path);
    assertThat(
            TorchrunProgram.find(Map.of("CLUSTERED_PYTHON", "python3", "PATH", path)).searchPath())
        .isEqualTo(path);
  }

  @Test
  void saysInOneSentenceThatItIsAbsent() throws IOException {
    Files.createFile(directory.resolve("torchrun"));

    assertThatThrownBy(() -> TorchrunProgram.find(Map.of("PATH", directory.toString())))
        .as("a file that may not be executed is none")
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("There is no torchrun")
        .hasMessageContaining("CLUSTERED_PYTHON");
    assertThatThrownBy(() -> TorchrunProgram.find(Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Path program(String name) throws IOException {
    Path file = Files.createFile(directory.resolve(name));
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class RealPartTest {

  private static final RealPart ABSENT = RealPart.executable("no-such-program");

  @TempDir private Path directory;

  @Test
  void skipsTheTestAndReportsTheReasonWhenAPartIsAbsent() throws IOException {
    Path report = directory.resolve("made/parts.tsv");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> ABSENT.require(Map.of("PATH", "/none"), Optional.of(report)))
          .isInstanceOf(TestAbortedException.class)
          .hasMessageContainingAll("no-such-program", "/none");
    }
    assertThat(report)
        .content()
        .isEqualTo("no-such-program\tno program of this name in [/none]\n".repeat(2));
  }

  @Test
  void failsTheTestWhenAPartIsRequired() {
    Path report = directory.resolve("made/parts.tsv");
    Map<String, String> environment = Map.of("CLUSTERED_REAL_PARTS", "required");
    assertThatThrownBy(() -> ABSENT.require(environment, Optional.of(report)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no-such-program")
        .hasMessageContaining("CLUSTERED_REAL_PARTS=required");
    assertThat(report).doesNotExist();
  }

  @Test
  void findsAProgramBesideThePythonInterpreterBeforeThePath() throws IOException {
    Path beside = program("bin/torchrun", "exit 0");
    program("path/torchrun", "exit 0");
    Map<String, String> environment =
        Map.of(
            "CLUSTERED_PYTHON", directory.resolve("bin/python").toString(),
            "PATH", directory.resolve("path").toString());
    assertThat(RealPart.executable("torchrun").require(environment, Optional.empty()))
        .isEqualTo(beside);
  }

  @Test
  void findsAModuleThatTheInterpreterCanImport() throws IOException {
    Path python = program("python", "test \"$1 $2\" = '-c import torch'");
    Map<String, String> environment = Map.of("CLUSTERED_PYTHON", python.toString());
    assertThat(RealPart.python("torch").require(environment, Optional.empty())).isEqualTo(python);
  }

  @Test
  void saysWhatTheInterpreterSaidWhenAModuleIsAbsent() throws IOException {
    Path python = program("python", "echo trace; echo \"No module named 'torch'\" >&2; exit 1");
    Map<String, String> environment = Map.of("CLUSTERED_PYTHON", python.toString());
    assertThatThrownBy(() -> RealPart.python("torch").require(environment, Optional.empty()))
        .isInstanceOf(TestAbortedException.class)
        .hasMessageContaining("python:torch")
        .hasMessageContaining("No module named 'torch'");
  }

  @Test
  void saysSoWhenThereIsNoInterpreter() {
    assertThatThrownBy(() -> RealPart.python("torch").require(Map.of(), Optional.empty()))
        .isInstanceOf(TestAbortedException.class)
        .hasMessageContaining("no Python interpreter python3");
  }

  private Path program(String name, String script) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}

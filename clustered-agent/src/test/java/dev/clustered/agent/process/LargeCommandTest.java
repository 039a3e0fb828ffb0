// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.process.SpawnFailure.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LargeCommandTest {
  private static final int FIVE_MEGABYTES = 5 << 20;

  @TempDir Path directory;

  @Test
  void runsAShellScriptOfFiveMegabytesWithItsArguments() {
    String script = ": " + "x".repeat(FIVE_MEGABYTES) + "\necho \"$0|$1|$2|$#\"";
    try (Fixture fixture = new Fixture(directory)) {
      assertThat(fixture.run(Fixture.PATH, "sh", "-ec", script, "name", "a b", "c'd"))
          .isEqualTo("name|a b|c'd|2\n");
      assertThat(fixture.run(Fixture.PATH, "sh", "-c", script)).isEqualTo("sh|||0\n");
    }
  }

  @Test
  void runsAPythonScriptOfFiveMegabytesWithItsArguments() {
    Optional<Path> python = python();
    Assumptions.assumeTrue(python.isPresent(), "no python3 on this machine");
    String script =
        "text = '" + "x".repeat(FIVE_MEGABYTES) + "'\nimport sys\nprint(len(text), sys.argv)";
    try (Fixture fixture = new Fixture(directory)) {
      assertThat(fixture.run(Fixture.PATH, python.get().toString(), "-c", script, "a", "b"))
          .isEqualTo(FIVE_MEGABYTES + " ['-c', 'a', 'b']\n");
    }
  }

  @Test
  void runsACommandOfManyArguments() {
    Assumptions.assumeTrue(
        ExecLimits.current().raisedTotal() > FIVE_MEGABYTES, "the hard stack limit is too low");
    ExecLimits before = ExecLimits.current();
    List<String> command = new ArrayList<>(List.of("sh", "-c", "echo $# ${#1} \"$0\"", "name"));
    command.addAll(Collections.nCopies(50, "x".repeat(100_000)));
    try (Fixture fixture = new Fixture(directory)) {
      assertThat(fixture.run(Fixture.PATH, command.toArray(String[]::new)))
          .isEqualTo("50 100000 name\n");
      assertThat(ExecLimits.current()).isEqualTo(before);
    }
  }

  @Test
  void refusesWhatNoProcessCanReceive() {
    List<String> command = List.of("echo", "x".repeat(FIVE_MEGABYTES));
    try (Fixture fixture = new Fixture(directory)) {
      assertThat(fixture.tryStart(Fixture.PATH, command))
          .isInstanceOfSatisfying(
              StartResult.NotStarted.class,
              refused -> {
                assertThat(refused.failure().reason()).isEqualTo(Reason.TOO_LARGE);
                assertThat(refused.failure().message())
                    .startsWith("Argument 1 of the command has 5242880 bytes")
                    .contains("131071");
              });
    }
  }

  @Test
  void runsWithAnArgumentOfExactlyTheLimit() {
    try (Fixture fixture = new Fixture(directory)) {
      String longest = "x".repeat((int) ExecLimits.STRING_BYTES);
      assertThat(fixture.run(Fixture.PATH, "printf", "%s", longest)).isEqualTo(longest);
    }
  }

  private static Optional<Path> python() {
    return switch (ExecutableLookup.find("python3", Fixture.PATH, Path.of("/"))) {
      case ExecutableLookup.Result.Found found -> Optional.of(found.file());
      case ExecutableLookup.Result.Failed missing -> Optional.empty();
    };
  }
}

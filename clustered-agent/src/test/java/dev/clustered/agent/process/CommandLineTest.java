// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class CommandLineTest {
  private static final Path SCRATCH = Path.of("/it's here");
  private static final ExecLimits LIMITS = new ExecLimits(100, 20_000, 40_000);

  @Test
  void leavesACommandThatFitsAsItIs() {
    CommandLine.Result.Fits fits = fits("sh", "-c", "echo", "a");
    assertThat(texts(fits)).containsExactly("sh", "-c", "echo", "a");
    assertThat(fits.files()).isEmpty();
    assertThat(fits.raised()).isFalse();
  }

  @Test
  void putsALongShellScriptIntoAFile() {
    String script = "x".repeat(101);
    CommandLine.Result.Fits fits = fits("/usr/bin/bash", "-e", "-o", "pipefail", "-c", script, "n");
    assertThat(fits.files()).hasSize(1);
    String name = fits.files().getFirst().path().getFileName().toString();
    assertThat(texts(fits))
        .containsExactly(
            "/usr/bin/bash", "-e", "-o", "pipefail", "-c", ". '/it'\\''s here/" + name + "'", "n");
    assertThat(new String(fits.files().getFirst().content(), StandardCharsets.UTF_8))
        .isEqualTo(script);
  }

  @Test
  void raisesTheLimitForManyArguments() {
    String[] command = new String[200];
    Arrays.fill(command, "x".repeat(80));
    assertThat(fits(command).raised()).isTrue();
  }

  @Test
  void refusesMoreArgumentsThanAnyLimitAllows() {
    String[] command = new String[400];
    Arrays.fill(command, "x".repeat(80));
    assertThat(fit(command))
        .isInstanceOfSatisfying(
            CommandLine.Result.TooLarge.class,
            large ->
                assertThat(large.failure().message())
                    .contains("35600 bytes in 400 arguments")
                    .contains("31808"));
  }

  @Test
  void findsTheScriptBehindOptions() {
    assertThat(shell("sh", "-c", "S")).hasValue(2);
    assertThat(shell("sh", "-ec", "S", "arg")).hasValue(2);
    assertThat(shell("sh", "-c", "-e", "S")).hasValue(3);
    assertThat(shell("bash", "--norc", "--rcfile", "f", "-O", "extglob", "-lc", "S")).hasValue(7);
    assertThat(shell("bash", "-euo", "pipefail", "-c", "S")).hasValue(4);
    assertThat(shell("sh", "file", "-c", "S")).isEmpty();
    assertThat(shell("sh", "-c")).isEmpty();
  }

  @Test
  void findsThePythonScriptBehindOptions() {
    assertThat(python("python3", "-c", "S")).hasValue(2);
    assertThat(python("python3.12", "-u", "-W", "ignore", "-X", "dev", "-Bc", "-S")).hasValue(7);
    assertThat(python("python3", "-m", "module", "-c")).isEmpty();
    assertThat(InlineScript.PYTHON.interprets("/opt/bin/python3.12")).isTrue();
    assertThat(InlineScript.PYTHON.interprets("pythonic")).isFalse();
  }

  private static OptionalInt shell(String... command) {
    return InlineScript.SHELL.position(List.of(command));
  }

  private static OptionalInt python(String... command) {
    return InlineScript.PYTHON.position(List.of(command));
  }

  private static CommandLine.Result fit(String... command) {
    return CommandLine.fit(List.of(command), List.of(), SCRATCH, LIMITS);
  }

  private static CommandLine.Result.Fits fits(String... command) {
    return (CommandLine.Result.Fits) fit(command);
  }

  private static List<String> texts(CommandLine.Result.Fits fits) {
    return fits.argv().stream().map(bytes -> new String(bytes, StandardCharsets.UTF_8)).toList();
  }
}

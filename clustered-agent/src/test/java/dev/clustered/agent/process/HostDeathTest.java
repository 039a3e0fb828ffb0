// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostDeathTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"cgroup", "none"})
  void nothingIsLeftFiveSecondsAfterTheHostWasKilled(String cgroup) throws IOException {
    String id = "host-" + UUID.randomUUID();
    Process host = host(id, cgroup);
    try (BufferedReader output = host.inputReader()) {
      assertThat(output.readLine()).isEqualTo("started");
      assertThat(marked(id)).hasSizeGreaterThan(64);
      Path kept = Files.createDirectory(directory.resolve("unrelated"));

      host.destroyForcibly();

      Await.until("nothing is left", Duration.ofSeconds(5), () -> gone(id));
      assertThat(kept).exists();
    } finally {
      host.destroyForcibly();
    }
  }

  private Process host(String id, String cgroup) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            HostProgram.class.getName(),
            id,
            directory.toString(),
            cgroup)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private boolean gone(String id) {
    boolean directories =
        Files.exists(directory.resolve(id + "-0")) || Files.exists(directory.resolve(id + "-3"));
    boolean cgroups =
        Cgroup.own().stream().anyMatch(own -> Files.exists(own.resolve("clustered-" + id + "-0")));
    return !directories && !cgroups && marked(id).isEmpty() && guardians(id).isEmpty();
  }

  private static List<ProcessEntry> marked(String id) {
    return ProcessTable.read().entries().values().stream()
        .filter(
            entry -> Optional.ofNullable(entry.scope()).filter(s -> s.startsWith(id)).isPresent())
        .toList();
  }

  /** Processes that dropped the marker name the id in their command line. */
  private static List<Path> guardians(String id) {
    return ProcessTable.read().entries().keySet().stream()
        .map(pid -> Path.of("/proc/" + pid + "/cmdline"))
        .filter(file -> commandLine(file).contains("unmarked-" + id))
        .toList();
  }

  private static String commandLine(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }
}

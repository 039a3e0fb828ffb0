// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.program;
import static dev.clustered.backend.local.Gangs.shell;
import static dev.clustered.backend.local.Gangs.signal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.ExecRequest;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However the host program ends without closing its engine, nothing of its clusters is left. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class HostEndTest {

  private static final Duration LIMIT = Duration.ofSeconds(5);

  @TempDir private Path directory;

  /** How a host program ends. */
  enum End {
    EXIT,
    TERM,
    OUT_OF_MEMORY
  }

  @ParameterizedTest
  @CsvSource({"IN_PROCESS, EXIT", "IN_PROCESS, TERM", "OWN_JVM, TERM", "OWN_JVM, OUT_OF_MEMORY"})
  void leavesNoProcessAndNoDirectory(AgentPlace place, End end) throws Exception {
    ProcessBuilder program =
        program(Host.class, directory, "-Xmx64m", "-XX:+ExitOnOutOfMemoryError");
    program.command().addAll(List.of(place.name(), end.name()));
    Process host = program.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    List<ProcessHandle> started;
    try (BufferedReader lines = host.inputReader()) {
      Eventually.within(Gangs.PATIENCE)
          .passes(() -> assertThat(lines.readLine()).isEqualTo("running"));
      started = host.descendants().toList();
      assertThat(started).hasSizeGreaterThanOrEqualTo(7);
      host.getOutputStream().close();
      if (end == End.TERM) {
        signal("TERM", host.toHandle());
      }
      host.onExit().join();
    } finally {
      host.destroyForcibly();
    }
    Eventually.within(LIMIT)
        .passes(
            () -> {
              assertThat(started).noneMatch(ProcessHandle::isAlive);
              assertThat(engineDirectories()).isEmpty();
            });
  }

  private List<Path> engineDirectories() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.getFileName().toString().startsWith("clustered-")).toList();
    }
  }

  /** Runs a cluster and ends without closing anything, as it is told. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws Exception {
      ClusterEngine engine =
          Gangs.engine(LocalBackend.builder().agents(AgentPlace.valueOf(arguments[0])));
      Cluster cluster =
          engine.launch(shell(2, "(setsid sleep 1000 &); sleep 1000").build()).await();
      beside(cluster, ExecRequest.of("sh", "-c", "(setsid sleep 1000 &); echo up; sleep 1000"));
      beside(cluster, ExecRequest.of("sh", "-c", "echo up; exec sleep 1000").withTerminal(80, 24));
      System.out.println("running");
      int closed = System.in.read();
      switch (End.valueOf(arguments[1])) {
        case EXIT -> System.exit(closed);
        case TERM -> System.out.println(cluster.join());
        case OUT_OF_MEMORY -> fillMemory();
      }
    }

    private static void beside(Cluster cluster, ExecRequest request) throws IOException {
      if (cluster.exec(0, request).standardOutput().read() < 0) {
        throw new IOException("a command beside a rank did not run");
      }
    }

    private static void fillMemory() {
      List<byte[]> all = new ArrayList<>();
      while (all.size() < Integer.MAX_VALUE) {
        all.add(new byte[1 << 20]);
      }
    }
  }
}

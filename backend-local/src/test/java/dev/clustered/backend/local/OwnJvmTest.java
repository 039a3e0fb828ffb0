// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.spi.Instance;
import dev.clustered.spi.Notice;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NothingLeft.class)
class OwnJvmTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LIMIT_AFTER_A_KILL = Duration.ofSeconds(5);

  @TempDir private Path directory;

  @Test
  void tellsOnceOfAnAgentThatWasKilledAndGivesItsPlaceBack() throws Exception {
    try (OpenBackend local = open(directory)) {
      Instance launched = local.launch("one", 1).getFirst();
      agents(ProcessHandle.current()).getFirst().destroyForcibly();
      List<Notice> notices = new ArrayList<>();
      Eventually.within(PATIENCE)
          .passes(
              () -> {
                notices.addAll(local.capacity().notices());
                assertThat(notices).hasSize(1);
              });
      assertThat(notices.getFirst().node()).isEqualTo(launched.node());
      assertThat(notices.getFirst().kind()).isEqualTo(Notice.Kind.ENDED);
      assertThat(notices.getFirst().message()).contains("137");
      Eventually.within(PATIENCE).passes(() -> assertThat(local.listed()).isEmpty());
      assertThat(local.offer("local.cpu").available()).isEqualTo(64);
      try (Stream<Path> files = Files.list(directory)) {
        assertThat(files).isEmpty();
      }
      assertThat(local.capacity().notices()).isEmpty();
    }
  }

  @Test
  void endsTheAgentsWhenTheirHostIsKilled() throws Exception {
    Process host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Host.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<ProcessHandle> agents;
    try (BufferedReader lines = host.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("launched");
      agents = agents(host.toHandle());
    } finally {
      host.destroyForcibly();
      host.onExit().join();
    }
    assertThat(agents).hasSize(2);
    Eventually.within(LIMIT_AFTER_A_KILL)
        .passes(() -> assertThat(agents).noneMatch(ProcessHandle::isAlive));
  }

  private static OpenBackend open(Path directory) {
    return OpenBackend.open(
        LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory(), directory);
  }

  private static List<ProcessHandle> agents(ProcessHandle host) {
    return host.children()
        .filter(child -> child.info().command().orElse("").endsWith("java"))
        .toList();
  }

  /** Launches two nodes and waits for its end. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      open(Path.of(arguments[0])).launch("two", 2);
      System.out.println("launched");
      System.in.read();
    }
  }
}

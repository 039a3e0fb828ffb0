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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(NothingLeft.class)
class OwnJvmTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LIMIT_AFTER_A_KILL = Duration.ofSeconds(5);

  @TempDir private Path directory;

  @Test
  void tellsOnceOfAnAgentThatWasKilledAndGivesItsPlaceBack() throws Exception {
    try (OpenBackend local =
        OpenBackend.open(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory(), directory)) {
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

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OUTLIVING")
  void leavesNoProcessAndNoDirectoryWhenTheHostIsKilled(AgentPlace place) throws Exception {
    Path root = directory.resolve("backend");
    Process host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Host.class.getName(),
                root.toString(),
                place.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<ProcessHandle> started;
    try (BufferedReader lines = host.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("launched");
      started = host.descendants().toList();
    } finally {
      host.destroyForcibly();
      host.onExit().join();
    }
    assertThat(started).isNotEmpty();
    Eventually.within(LIMIT_AFTER_A_KILL)
        .passes(
            () -> {
              assertThat(started).noneMatch(ProcessHandle::isAlive);
              assertThat(root)
                  .satisfiesAnyOf(
                      path -> assertThat(path).doesNotExist(),
                      path -> assertThat(path).isEmptyDirectory());
            });
  }

  private static List<ProcessHandle> agents(ProcessHandle host) {
    return host.children()
        .filter(child -> child.info().command().orElse("").endsWith("java"))
        .toList();
  }

  /** Launches two nodes, tells when their agents live, and waits for its end. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      OpenBackend.open(
              LocalBackend.builder().agents(AgentPlace.valueOf(arguments[1])).factory(),
              Path.of(arguments[0]))
          .launch("two", 2);
      Eventually.within(PATIENCE)
          .passes(() -> assertThat(agents(ProcessHandle.current())).allMatch(Host::guarded));
      System.out.println("launched");
      System.in.read();
    }

    /** Whether an agent's JVM has started its guardian, which it does once it can be ended. */
    private static boolean guarded(ProcessHandle agent) {
      return agent.children().findAny().isPresent();
    }
  }
}

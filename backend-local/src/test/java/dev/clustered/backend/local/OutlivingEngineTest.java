// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.program;
import static dev.clustered.backend.local.Gangs.runs;
import static dev.clustered.backend.local.Gangs.shell;
import static dev.clustered.backend.local.Gangs.signal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.agent.protocol.Json;
import dev.clustered.spi.Instance;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with ranks whose engine was killed. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class OutlivingEngineTest {

  private static final Duration LEASE = Duration.ofSeconds(20);

  private static final Duration JOIN_LIMIT = Duration.ofSeconds(60);

  @TempDir private Path directory;

  @Test
  void workOnUntilTheNextProgramEndsThem() throws Exception {
    Left left = killEngine(Duration.ofMinutes(3));
    try (OpenBackend next = open()) {
      List<Instance> listed = next.capacity().list(left.owner());
      assertThat(listed).hasSize(2);
      assertThat(left.ranks()).allMatch(Gangs::runs);
      next.terminate(listed.subList(0, 1));
      assertThat(left.ranks().stream().filter(Gangs::runs)).hasSize(left.ranks().size() / 2);
      next.terminate(listed);
      assertThat(left.ranks()).noneMatch(Gangs::runs);
      assertThat(left.agents()).noneMatch(Gangs::runs);
    }
    assertThat(nodes()).isEmptyDirectory();
  }

  @Test
  void endTheirRanksWhenTheirAgentsAreKilledAndLeaveNothing() throws Exception {
    Left left = killEngine(Duration.ofMinutes(3));
    for (long agent : left.agents()) {
      signal("KILL", ProcessHandle.of(agent).orElseThrow());
    }
    assertNothingIsLeftWithin(Gangs.PATIENCE, left);
  }

  @Test
  void endAnAgentThatDoesNotReactWithAllItsRanks() throws Exception {
    Left left = killEngine(Duration.ofMinutes(3));
    for (long agent : left.agents()) {
      signal("STOP", ProcessHandle.of(agent).orElseThrow());
    }
    try (OpenBackend next = open()) {
      next.terminate(next.capacity().list(left.owner()));
      assertThat(left.ranks()).noneMatch(Gangs::runs);
      assertThat(left.agents()).noneMatch(Gangs::runs);
    }
    assertThat(nodes()).isEmptyDirectory();
  }

  @Test
  void endByThemselvesAfterTheLeaseAndLeaveAnEmptyDirectory() throws Exception {
    Left left = killEngine(LEASE);
    assertNothingIsLeftWithin(LEASE.plus(Gangs.PATIENCE), left);
    Eventually.within(Gangs.PATIENCE).passes(() -> assertThat(nodes()).isEmptyDirectory());
  }

  @Test
  void endByThemselvesWhenTheyCanNeverJoin() throws Exception {
    ProcessBuilder program = program(Launcher.class, directory);
    program.command().add(given().toString());
    Process launcher = program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    assertThat(launcher.waitFor(Gangs.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(OutlivingAgents.below(nodes())).hasSize(2);
    Eventually.within(JOIN_LIMIT.plus(Gangs.PATIENCE))
        .passes(
            () -> {
              assertThat(OutlivingAgents.below(nodes())).isEmpty();
              assertThat(nodes()).isEmptyDirectory();
            });
  }

  private void assertNothingIsLeftWithin(Duration limit, Left left) {
    Eventually.within(limit)
        .passes(
            () -> {
              assertThat(left.ranks()).noneMatch(Gangs::runs);
              assertThat(left.agents()).noneMatch(Gangs::runs);
              assertThat(homes()).isEmpty();
            });
  }

  /** What is there when the engine is gone: its label, and the processes of its nodes. */
  private record Left(String owner, List<Long> agents, List<Long> ranks) {}

  private Left killEngine(Duration lease) throws Exception {
    ProcessBuilder program = program(Host.class, directory);
    program.command().addAll(List.of(given().toString(), lease.toString()));
    Process host = program.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader lines = host.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("running");
      List<Long> agents = OutlivingAgents.below(nodes());
      assertThat(agents).hasSize(2);
      List<Long> ranks = agents.stream().flatMap(OutlivingEngineTest::sleeping).toList();
      assertThat(ranks).hasSize(4);
      String owner =
          Json.mapper()
              .readValue(
                  Files.readAllBytes(homes().getFirst().resolve("node.json")), NodeRecord.class)
              .owner();
      return new Left(owner, agents, ranks);
    } finally {
      host.destroyForcibly();
      host.onExit().join();
    }
  }

  private static Stream<Long> sleeping(long agent) {
    return ProcessHandle.of(agent)
        .orElseThrow()
        .descendants()
        .filter(one -> one.info().command().orElse("").endsWith("sleep"))
        .map(ProcessHandle::pid)
        .filter(pid -> runs(pid));
  }

  private List<Path> homes() throws IOException {
    try (Stream<Path> files = Files.list(nodes())) {
      return files.filter(file -> !file.endsWith(".lock")).sorted().toList();
    }
  }

  private OpenBackend open() throws IOException {
    return OpenBackend.open(
        LocalBackend.builder().agents(AgentPlace.OUTLIVING).directory(given()).factory(),
        directory);
  }

  private Path nodes() throws IOException {
    return given().resolve("clustered-nodes");
  }

  private Path given() throws IOException {
    return Files.createDirectories(directory.resolve("given")).toRealPath();
  }

  /** Launches two nodes that find no engine, closes the backend and ends. */
  static final class Launcher {

    private Launcher() {}

    public static void main(String[] arguments) throws InterruptedException {
      Path given = Path.of(arguments[0]);
      try (OpenBackend local =
          OpenBackend.open(
              LocalBackend.builder().agents(AgentPlace.OUTLIVING).directory(given).factory(),
              given)) {
        if (local.launch("one", 2).size() != 2) {
          throw new IllegalStateException("a launch was not answered whole");
        }
      }
    }
  }

  /** Runs a cluster of two ranks, each with a process of its own beside it, until it is killed. */
  static final class Host {

    private Host() {}

    public static void main(String[] arguments) throws Exception {
      Path given = Path.of(arguments[0]);
      try (ClusterEngine engine =
          Gangs.on(LocalBackend.builder().agents(AgentPlace.OUTLIVING).directory(given).factory())
              .silenceLimit(Duration.ofSeconds(10))
              .lease(Duration.parse(arguments[1]))
              .open()) {
        Cluster cluster =
            engine.launch(shell(2, "setsid sleep 1000 & exec sleep 1000").build()).await();
        // The shells of both ranks have become what they run by then.
        Eventually.within(Gangs.PATIENCE).passes(() -> assertThat(sleepers(given)).isEqualTo(4));
        System.out.println("running");
        int closed = System.in.read();
        System.out.println(cluster.id() + " outlived its test, input " + closed);
      }
    }

    private static long sleepers(Path given) throws IOException {
      return OutlivingAgents.below(given).stream().flatMap(OutlivingEngineTest::sleeping).count();
    }
  }
}

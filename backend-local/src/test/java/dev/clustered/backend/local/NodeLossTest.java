// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.agentOf;
import static dev.clustered.backend.local.Gangs.agents;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.signal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.PendingCluster;
import dev.clustered.agent.Agent;
import dev.clustered.agent.AgentOptions;
import dev.clustered.agent.AgentTransport;
import dev.clustered.agent.ProcessRuntime;
import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node that is lost ends its cluster, with the node named and nothing left on the others. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class NodeLossTest {

  private static final Duration LIMIT_AFTER_A_LOSS = Duration.ofSeconds(5);

  @TempDir private Path directory;

  private static LocalBackend.Builder ownJvms() {
    return LocalBackend.builder().agents(AgentPlace.OWN_JVM);
  }

  @Test
  void whatTheEngineHadOfALogBeforeItsNodeWasKilledStaysAsItWasWritten() throws Exception {
    Events events = new Events();
    String line = "seq 1 200000; echo now; seq 200001 99999999";
    try (ClusterEngine engine = on(ownJvms().factory()).open();
        Cluster cluster =
            engine.launch(Gangs.shell(1, line).build()).withListener(events).await()) {
      try (LogStream log = cluster.logs(LogQuery.ofRank(0).following())) {
        assertThat(log.lines().anyMatch("now"::equals)).isTrue();
      }
      assertThat(agentOf(events.process(0)).destroyForcibly()).isTrue();
      assertThat(cluster.join().cause().orElseThrow().code()).isEqualTo(ErrorCode.NODE_LOST);
      try (LogStream log = cluster.logs(LogQuery.ofRank(0));
          BufferedReader lines =
              new BufferedReader(new InputStreamReader(log.bytes(), StandardCharsets.UTF_8))) {
        long expected = 1;
        String text = lines.readLine();
        for (String next = lines.readLine(); next != null; next = lines.readLine()) {
          if (expected == 200_001 && text.equals("now")) {
            text = next;
            continue;
          }
          assertThat(text).isEqualTo(Long.toString(expected));
          expected++;
          text = next;
        }
        assertThat(expected).isGreaterThan(200_000);
        assertThat(Long.toString(expected)).startsWith(text); // It may have been cut off.
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"BLOCKING, 0", "FUTURE, 2"})
  void aKilledNodeEndsTheClusterAndIsNamed(Form form, int lost) throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = on(ownJvms().factory()).open();
        Cluster cluster = form.ready(engine.launch(lasting(3)).withListener(events))) {
      List<ProcessHandle> ranks =
          IntStream.range(0, 3)
              .mapToObj(rank -> ProcessHandle.of(events.process(rank)).orElseThrow())
              .toList();
      assertThat(agentOf(events.process(lost)).destroyForcibly()).isTrue();
      Eventually.within(LIMIT_AFTER_A_LOSS)
          .passes(() -> assertThat(ranks).noneMatch(ProcessHandle::isAlive));
      ClusterExit exit = form.exit(cluster);
      assertLost(exit, lost, cluster);
      assertThat(exit.cause().map(Cause::message))
          .isEqualTo(events.verdict().cause().map(Cause::message));
      assertThat(exit.cause().orElseThrow().message()).contains("ended with code 137");
    }
  }

  private static void assertLost(ClusterExit exit, int lost, Cluster cluster) {
    assertThat(exit.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(exit.exitCode()).isEqualTo(1);
    Cause cause = exit.cause().orElseThrow();
    assertThat(cause.code()).isEqualTo(ErrorCode.NODE_LOST);
    assertThat(cause.rank()).hasValue(lost);
    assertThat(cause.message()).contains(cluster.nodes().get(lost).id() + " of rank " + lost);
    assertThat(exit.ranks().get(lost).end()).containsInstanceOf(ProcessEnd.Unknown.class);
    assertThat(exit.ranks())
        .filteredOn(rank -> rank.rank() != lost)
        .isNotEmpty()
        .allSatisfy(
            rank -> {
              assertThat(rank.by()).isEqualTo(EndedBy.ENGINE);
              assertThat(rank.end()).contains(new ProcessEnd.Signal(15));
            });
  }

  @Test
  void aSilentAgentCountsAsALostNode() throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = on(ownJvms().factory()).silenceLimit(Duration.ofSeconds(2)).open();
        Cluster cluster = engine.launch(lasting(2)).withListener(events).await()) {
      ProcessHandle silent = agentOf(events.process(1));
      signal("STOP", silent);
      try {
        ClusterExit exit = cluster.join();
        assertLost(exit, 1, cluster);
        assertThat(exit.cause().orElseThrow().message()).contains("silent");
      } finally {
        signal("CONT", silent);
      }
    }
  }

  @Test
  void aNodeThatIsKilledWhileItBootsEndsTheLaunch() throws Exception {
    try (ClusterEngine engine = on(ownJvms().factory()).open()) {
      Events events = new Events();
      PendingCluster pending = engine.launch(lasting(3)).withListener(events).start();
      // One that dies before is a launch that failed, which is tried again.
      events.reached(ClusterState.BOOTING);
      assertThat(agent(3).destroyForcibly()).isTrue();
      assertThat(pending.ready())
          .failsWithin(PATIENCE)
          .withThrowableOfType(ExecutionException.class)
          .havingCause()
          .isInstanceOfSatisfying(
              ClusterException.class,
              failure -> assertThat(failure.code()).isEqualTo(ErrorCode.NODE_LOST));
      assertThat(engine.pool()).isEmpty();
      assertThat(agents()).isEmpty();
    }
  }

  @Test
  void noRankStartsBeforeTheLastAgentHasCome() throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = on(ownJvms().factory()).open()) {
      PendingCluster pending = engine.launch(lasting(3)).withListener(events).start();
      ProcessHandle late = agent(3);
      signal("STOP", late);
      try {
        Eventually.within(PATIENCE)
            .passes(() -> assertThat(events.of(ClusterEvent.NodeReady.class)).hasSize(2));
        assertThat(events.of(ClusterEvent.RankStarted.class)).isEmpty();
        assertThat(pending.ready()).isNotDone();
      } finally {
        signal("CONT", late);
      }
      try (Cluster cluster = pending.ready().get(1, TimeUnit.MINUTES)) {
        assertThat(cluster.state()).isEqualTo(ClusterState.RUNNING);
      }
      List<ClusterEvent> all = events.all();
      int lastReady = all.lastIndexOf(events.of(ClusterEvent.NodeReady.class).getLast());
      int firstStart = all.indexOf(events.of(ClusterEvent.RankStarted.class).getFirst());
      assertThat(firstStart).isGreaterThan(lastReady);
    }
  }

  /** One of so many agents, as soon as they have been started. */
  private static ProcessHandle agent(int count) {
    Eventually.within(PATIENCE)
        .passes(() -> assertThat(agents()).hasSizeGreaterThanOrEqualTo(count));
    return agents().getLast();
  }

  @Test
  void aUsedJoinTokenLetsNobodyInAndDisturbsNobody() throws Exception {
    List<AgentBootstrap> used = new CopyOnWriteArrayList<>();
    ChangedBackend watched =
        new ChangedBackend(
            LocalBackend.builder(),
            (real, request) -> {
              request
                  .nodes()
                  .forEach(
                      node ->
                          used.add(Json.mapper().readValue(node.document(), AgentBootstrap.class)));
              return real.launch(request);
            });
    try (ClusterEngine engine = on(watched).open();
        Cluster cluster = engine.launch(lasting(2)).await();
        ProcessRuntime runtime = new ProcessRuntime();
        AgentTransport transport =
            AgentTransport.open(used.getFirst().control(), used.getFirst().certificate())) {
      AgentOptions options =
          new AgentOptions(
              used.getFirst(),
              directory.resolve("impostor"),
              List.of("127.0.0.1"),
              runtime,
              transport,
              InstantSource.system());
      try (Agent impostor = Agent.start(options)) {
        assertThat(impostor.ended()).succeedsWithin(PATIENCE);
      }
      assertThat(cluster.exit()).isNotDone();
      assertThat(engine.pool()).hasSize(2);
      cluster.stop(Duration.ofSeconds(10));
      assertThat(cluster.join().outcome()).isEqualTo(Outcome.STOPPED);
    }
  }
}

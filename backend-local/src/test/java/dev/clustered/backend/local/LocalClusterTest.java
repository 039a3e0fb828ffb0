// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.PendingCluster;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.spi.BackendFactory;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("integration")
@ExtendWith(NothingLeft.class)
class LocalClusterTest {

  private static ClusterSpec.Builder shell(int nodes, String script) {
    return ClusterSpec.builder("test")
        .nodes(nodes)
        .grace(Duration.ofSeconds(2))
        .command("sh", "-c", script);
  }

  @Test
  void runsACommandOnEveryRankAndLeavesNothing() throws Exception {
    ClusterSpec spec = shell(4, "echo rank $NODE_RANK of $WORLD_SIZE at $MASTER_ADDR").build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      assertThat(exit.ranks()).hasSize(4);
      for (int rank = 0; rank < 4; rank++) {
        assertThat(exit.ranks().get(rank).logTail())
            .isEqualTo("rank %d of 4 at %s\n".formatted(rank, cluster.leader().address()));
      }
      try (LogStream logs = cluster.logs(LogQuery.all())) {
        assertThat(logs.lines().toList())
            .containsExactlyInAnyOrderElementsOf(
                List.of(0, 1, 2, 3).stream()
                    .map(
                        rank ->
                            "[%d] rank %d of 4 at %s"
                                .formatted(rank, rank, cluster.leader().address()))
                    .toList());
      }
    }
  }

  @Test
  void endsTheWholeClusterWhenOneRankFailsAndNamesIt() throws Exception {
    ClusterSpec spec =
        shell(4, "if [ $NODE_RANK = 2 ]; then sleep 0.2; exit 3; fi; sleep 1000").build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(ClusterExit.Outcome.FAILED);
      assertThat(exit.exitCode()).isEqualTo(3);
      assertThat(exit.cause().orElseThrow().rank()).hasValue(2);
      assertThat(exit.cause().orElseThrow().end()).contains(new ProcessEnd.Code(3));
      assertThat(exit.ranks().get(0).by()).isEqualTo(RankExit.EndedBy.ENGINE);
      assertThat(exit.ranks().get(0).end()).contains(new ProcessEnd.Signal(15));
      assertThat(exit.ranks().get(2).by()).isEqualTo(RankExit.EndedBy.ITSELF);
    }
  }

  @Test
  void tellsASignalFromAnExitCode() throws Exception {
    try (ClusterEngine engine = Clusters.open()) {
      assertThat(end(engine, "kill -9 $$")).contains(new ProcessEnd.Signal(9));
      assertThat(end(engine, "exit 137")).contains(new ProcessEnd.Code(137));
    }
  }

  private static Optional<ProcessEnd> end(ClusterEngine engine, String script) throws Exception {
    try (Cluster cluster = engine.launch(shell(1, script).build()).await()) {
      return cluster.join().ranks().getFirst().end();
    }
  }

  @Test
  void reportsAMissingExecutableWithCode127AfterOneTry() {
    ClusterSpec spec = ClusterSpec.builder("test").nodes(2).command("no-such-program").build();
    assertThatThrownBy(() -> Clusters.launch(spec).await().close())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.START_FAILED))
        .hasMessageContaining("127")
        .hasMessageContaining("no-such-program");
  }

  @Test
  void refusesAnUnknownBackendByName() {
    ClusterSpec spec = shell(1, "true").build();
    assertThatThrownBy(() -> Clusters.launch(spec).withBackend("nowhere").await().close())
        .isInstanceOf(InvalidSpecException.class)
        .hasMessageContaining("nowhere")
        .hasMessageContaining("local");
  }

  @Test
  void refusesWhatCanNeverFitWithNumbers() {
    ClusterSpec spec = shell(1_000, "true").build();
    assertThatThrownBy(() -> Clusters.launch(spec).await().close())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANNOT_EVER_FIT))
        .hasMessageContaining("1000");
  }

  @Test
  void aGangThatDoesNotFitWaitsWithNumbersAndRunsWhenTheOtherEnds() throws Exception {
    try (ClusterEngine engine =
        Clusters.engine().backend(LocalBackend.builder().nodes(6).factory()).open()) {
      Cluster first = engine.launch(shell(4, "sleep 1000").build()).await();
      PendingCluster second = engine.launch(shell(4, "true").build()).start();
      Eventually.within(Duration.ofSeconds(10))
          .passes(() -> assertThat(second.waitingFor().toString()).contains("asked 4 nodes"));
      first.close();
      try (Cluster ran = second.ready().get()) {
        assertThat(ran.join().success()).isTrue();
      }
    }
  }

  @Test
  void cancelsWhileBootingAndLeavesNothing() {
    try (ClusterEngine engine =
        Clusters.engine()
            .backend(LocalBackend.builder().bootTime(Duration.ofMinutes(5)).factory())
            .open()) {
      PendingCluster pending = engine.launch(shell(4, "true").build()).start();
      pending.cancel();
      assertThat(pending.ready()).isCompletedExceptionally();
      assertThat(engine.pool()).isEmpty();
    }
  }

  @Test
  void anInterruptedAwaitReleasesEverythingAndThrows() throws Exception {
    ClusterSpec spec = shell(4, "true").build();
    BackendFactory slow = LocalBackend.builder().bootTime(Duration.ofMinutes(5)).factory();
    try (ClusterEngine engine = Clusters.engine().backend(slow).open()) {
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread waiting =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      engine.launch(spec).await().close();
                    } catch (InterruptedException | RuntimeException e) {
                      thrown.complete(e);
                    }
                  });
      Eventually.within(Duration.ofSeconds(10))
          .passes(
              () ->
                  assertThat(engine.pending())
                      .singleElement()
                      .satisfies(p -> assertThat(p.state()).isEqualTo(ClusterState.PLACED)));
      waiting.interrupt();
      assertThat(thrown.get(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
      assertThat(engine.pool()).isEmpty();
      assertThat(engine.pending()).isEmpty();
    }
  }

  @Test
  void followsTheMergedLogLiveAndNeverSplitsALine() throws Exception {
    String script = "for i in 1 2 3; do printf 'half '; sleep 0.05; echo line $i; done; printf end";
    try (Cluster cluster = Clusters.launch(shell(2, script).build()).await();
        LogStream logs = cluster.logs(LogQuery.all().following())) {
      assertThat(logs.lines().toList())
          .containsExactlyInAnyOrder(
              "[0] half line 1",
              "[0] half line 2",
              "[0] half line 3",
              "[0] end",
              "[1] half line 1",
              "[1] half line 2",
              "[1] half line 3",
              "[1] end");
    }
  }

  @Test
  void carriesEnvironmentValuesByteForByteAndNothingElse() throws Exception {
    String value = "= \" ' $HOME `id` \\ \n\t é 😀 ";
    ClusterSpec spec =
        ClusterSpec.builder("x")
            .environment("ODD", value)
            .environment("LONG", "x".repeat(100_000))
            .environment("RANK", "7")
            .command("sh", "-c", "printf %s \"$ODD\"; printf %s \"${#LONG}\"")
            .build();
    try (Cluster cluster = Clusters.launch(spec).await();
        LogStream logs = cluster.logs(LogQuery.ofRank(0).following())) {
      byte[] bytes = logs.bytes().readAllBytes();
      assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo(value + "100000");
    }
  }

  @Test
  void runsWithTenMegabytesOfEnvironmentAndAScriptOfFive() throws Exception {
    ClusterSpec.Builder spec = ClusterSpec.builder("x").nodes(2);
    for (int i = 0; i < 100; i++) {
      spec.environment("BIG_" + i, "y".repeat(100_000));
    }
    String script = "# " + "z".repeat(5_000_000) + "\ngrep -o BIG_99 $CLUSTERED_ENVIRONMENT_FILE";
    spec.command("sh", "-c", script);
    try (Cluster cluster = Clusters.launch(spec.build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      assertThat(exit.ranks().get(1).logTail()).isEqualTo("BIG_99\n");
    }
  }

  @Test
  void reportsRdmaAsSimulated() throws Exception {
    ClusterSpec spec = shell(2, "true").build();
    try (Cluster cluster = Clusters.launch(spec).withRdma().await()) {
      assertThat(cluster.fabric().orElseThrow().toString()).contains("simulated");
      assertThat(cluster.join().success()).isTrue();
    }
  }

  @Test
  void keepsEveryByteThatARankWrote() throws Exception {
    ClusterSpec spec =
        shell(
                2,
                // Rank 0 only waits: should it end first, it would take rank 1 with it.
                "[ $NODE_RANK = 1 ] || exec sleep 600; "
                    + "head -c 5000000 /dev/zero | tr '\\0' x; printf '\\377tail'; kill -9 $$")
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      assertThat(cluster.join().success()).isFalse();
      try (LogStream logs = cluster.logs(LogQuery.ofRank(1))) {
        byte[] bytes = logs.bytes().readAllBytes();
        assertThat(bytes).hasSize(5_000_005);
        assertThat(new String(bytes, 5_000_001, 4, StandardCharsets.UTF_8)).isEqualTo("tail");
      }
    }
  }

  @Test
  void runsThroughAgentsInJvmsOfTheirOwn() throws Exception {
    try (ClusterEngine engine =
            Clusters.engine()
                .backend(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory())
                .open();
        Cluster cluster = engine.launch(shell(2, "exit 0").build()).await()) {
      assertThat(cluster.join().success()).isTrue();
    }
  }
}

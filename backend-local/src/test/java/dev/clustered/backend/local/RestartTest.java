// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.runs;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.Node;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RestartPolicy;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A rank fails, and the workload runs again on the nodes that it has, with real processes. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class RestartTest {

  private static final RestartPolicy AT_ONCE =
      RestartPolicy.upTo(2).withPause(Duration.ZERO, Duration.ZERO);

  private static final String FAILS_ONCE =
      "echo attempt $CLUSTERED_ATTEMPT rank $CLUSTERED_RANK port $MASTER_PORT; test"
          + " $CLUSTERED_ATTEMPT = 1 && { test $CLUSTERED_RANK = 1 && exit 3; exec sleep 1000; };"
          + " echo done";

  private static String log(Cluster cluster, LogQuery query) throws Exception {
    try (LogStream log = cluster.logs(query)) {
      return log.lines().collect(Collectors.joining("\n"));
    }
  }

  @Test
  void runsAgainOnTheSameNodesWithTheSameRanksAndAnotherPort() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      Events events = new Events();
      ClusterSpec spec = shell(3, FAILS_ONCE).restart(AT_ONCE).build();
      try (Cluster cluster = engine.launch(spec).withListener(events).await()) {
        ClusterExit exit = cluster.join();
        assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
        assertThat(exit.attempt()).isEqualTo(2);
        assertThat(cluster.attempt()).isEqualTo(2);
        List<String> nodes = cluster.nodes().stream().map(Node::id).map(id -> id.value()).toList();
        assertThat(exit.ranks().stream().map(rank -> rank.node().value())).isEqualTo(nodes);
        String first = log(cluster, LogQuery.ofRank(1).ofAttempt(1));
        String second = log(cluster, LogQuery.ofRank(1));
        assertThat(first).startsWith("attempt 1 rank 1 port ").doesNotContain("done");
        assertThat(second).startsWith("attempt 2 rank 1 port ").endsWith("done");
        assertThatThrownBy(() -> cluster.logs(LogQuery.all().ofAttempt(3)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("2 attempts", "attempt 3");
      }
      assertThat(events.of(ClusterEvent.AttemptFailed.class))
          .singleElement()
          .satisfies(
              failed -> {
                assertThat(failed.cause().code()).isEqualTo(ErrorCode.RANK_FAILED);
                assertThat(failed.cause().rank()).hasValue(1);
                assertThat(failed.cause().end()).contains(new ProcessEnd.Code(3));
              });
      assertThat(events.states())
          .containsSubsequence(
              ClusterState.RUNNING,
              ClusterState.RESTARTING,
              ClusterState.PREPARING,
              ClusterState.JOINING,
              ClusterState.RUNNING,
              ClusterState.STOPPING,
              ClusterState.ENDED);
    }
  }

  @Test
  void nothingOfAnAttemptRunsWhenTheNextOneBegins(@TempDir Path shared) throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      Events events = new Events();
      String line =
          "sleep 1000 & await() { until test -e $SHARED/$1; do sleep 0.02; done; }; "
              + "test $CLUSTERED_ATTEMPT = 2 && { await seen; exit 0; }; "
              + "test $CLUSTERED_RANK = 1 && { touch $SHARED/up; wait; }; await up; exit 1";
      ClusterSpec spec =
          shell(2, line).environment("SHARED", shared.toString()).restart(AT_ONCE).build();
      List<Long> alive = new CopyOnWriteArrayList<>();
      try (Cluster cluster =
          engine
              .launch(spec)
              .withListener(events)
              .withListener(
                  event -> {
                    if (event instanceof ClusterEvent.RankStarted started
                        && started.attempt() == 2) {
                      events.of(ClusterEvent.RankStarted.class).stream()
                          .filter(earlier -> earlier.attempt() == 1)
                          .map(ClusterEvent.RankStarted::processId)
                          .filter(Gangs::runs)
                          .forEach(alive::add);
                    }
                  })
              .await()) {
        Eventually.within(Gangs.PATIENCE)
            .passes(() -> assertThat(events.of(ClusterEvent.RankStarted.class)).hasSize(4));
        Files.createFile(shared.resolve("seen"));
        assertThat(cluster.join().outcome()).isEqualTo(Outcome.SUCCEEDED);
      }
      assertThat(alive).isEmpty();
      assertThat(runs(events.process(0))).isFalse();
    }
  }

  @Test
  void failsWithTheLastCauseWhenEveryAttemptFails() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      String line = "test $CLUSTERED_RANK = 1 && exit $CLUSTERED_ATTEMPT; exec sleep 1000";
      ClusterSpec spec = shell(2, line).restart(AT_ONCE).build();
      try (Cluster cluster = engine.launch(spec).await()) {
        ClusterExit exit = cluster.join();
        assertThat(exit.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(exit.attempt()).isEqualTo(3);
        assertThat(exit.exitCode()).isEqualTo(3);
      }
    }
  }

  @Test
  void triesAMissingExecutableOnceHoweverManyRestartsThereAre() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      Events events = new Events();
      ClusterSpec spec =
          ClusterSpec.builder("test").nodes(2).command("/no/such/program").restart(AT_ONCE).build();
      assertThatThrownBy(() -> engine.launch(spec).withListener(events).await())
          .hasMessageContaining("/no/such/program");
      assertThat(events.of(ClusterEvent.AttemptFailed.class)).isEmpty();
      assertThat(events.verdict().cause().orElseThrow().code()).isEqualTo(ErrorCode.START_FAILED);
    }
  }

  @Test
  void stopsAtOnceDuringALongPause() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      Events events = new Events();
      ClusterSpec spec =
          shell(2, "exit 1")
              .restart(RestartPolicy.upTo(1).withPause(Gangs.LONG, Gangs.LONG))
              .build();
      try (Cluster cluster = engine.launch(spec).withListener(events).await()) {
        events.reached(ClusterState.RESTARTING);
        assertThat(engine.clusters()).extracting(Cluster::id).contains(cluster.id());
        cluster.stop(Duration.ofSeconds(1));
        assertThat(cluster.join().outcome()).isEqualTo(Outcome.STOPPED);
      }
    }
  }

  @Test
  void refusesAPolicyThatCannotBeByItsFields() {
    RestartPolicy policy =
        RestartPolicy.upTo(-1)
            .withPause(Duration.ofSeconds(-1), Duration.ofDays(2))
            .withNever(Set.of(0, 7))
            .withAlways(Set.of(7, 256));
    assertThatThrownBy(() -> shell(1, "true").restart(policy).build())
        .isInstanceOf(InvalidSpecException.class)
        .hasMessageContaining("restart.restarts", "-1")
        .hasMessageContaining("restart.pause", "PT-1S")
        .hasMessageContaining("restart.longestPause", "PT48H")
        .hasMessageContaining("restart.never", "0")
        .hasMessageContaining("restart.always", "256")
        .hasMessageContaining("names code 7");
  }

  @Test
  void aJobThatAlwaysDiesBeforeItsFirstCheckpointStopsLongBeforeItsBudget() throws Exception {
    RestartPolicy policy =
        RestartPolicy.upTo(100).withPause(Duration.ZERO, Duration.ZERO).withProgress(3);
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(shell(2, "exit 1").restart(policy).build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(exit.attempt()).isEqualTo(3);
      assertThat(exit.cause().orElseThrow().message()).contains("3 attempts in a row");
    }
  }

  @Test
  void aJobThatGetsFurtherEachTimeRunsOnThoughItsBudgetIsOne() throws Exception {
    RestartPolicy policy =
        RestartPolicy.upTo(1).withPause(Duration.ZERO, Duration.ZERO).withProgress(1);
    String line =
        "test $CLUSTERED_RANK = 0 && echo $((10 * CLUSTERED_ATTEMPT)) > $CLUSTERED_PROGRESS_FILE;"
            + " test $CLUSTERED_ATTEMPT = 5 || exit 1";
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(shell(2, line).restart(policy).build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.attempt()).isEqualTo(5);
      assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
    }
  }
}

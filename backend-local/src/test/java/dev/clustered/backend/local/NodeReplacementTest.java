// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.agentOf;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Launch;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Node;
import dev.clustered.model.NodeId;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is lost, and the workload runs again on another one in its place. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class NodeReplacementTest {

  private static final RestartPolicy AT_ONCE =
      RestartPolicy.upTo(2).withPause(Duration.ZERO, Duration.ZERO);

  /** Runs for ever at first, and says where its leader is when it runs again. */
  private static final String ENDS_THE_SECOND_TIME =
      "test $CLUSTERED_ATTEMPT = 1 && exec sleep 1000; "
          + "echo $CLUSTERED_RANK of $CLUSTERED_ADDRESSES leader $MASTER_ADDR";

  private static ClusterEngine engine() {
    return on(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory()).open();
  }

  private static List<NodeId> nodes(Cluster cluster) {
    return cluster.nodes().stream().map(Node::id).toList();
  }

  private static void lose(Events events, int rank) {
    assertThat(agentOf(events.process(rank)).destroyForcibly()).isTrue();
  }

  private static List<String> lines(Cluster cluster) throws Exception {
    try (LogStream log = cluster.logs(LogQuery.all())) {
      return log.lines().sorted().collect(Collectors.toList());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void onlyTheLostNodeIsReplacedAndEveryRankKeepsItsNumber(int lost) throws Exception {
    Events events = new Events();
    ClusterSpec spec = shell(3, ENDS_THE_SECOND_TIME).restart(AT_ONCE).build();
    try (ClusterEngine engine = engine();
        Cluster cluster = engine.launch(spec).withListener(events).await()) {
      List<NodeId> before = nodes(cluster);
      lose(events, lost);
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(exit.attempt()).isEqualTo(2);
      List<NodeId> after = nodes(cluster);
      for (int rank = 0; rank < 3; rank++) {
        assertThat(after.get(rank).equals(before.get(rank))).isEqualTo(rank != lost);
      }
      assertThat(events.of(ClusterEvent.AttemptFailed.class))
          .singleElement()
          .satisfies(
              failed -> {
                assertThat(failed.cause().code()).isEqualTo(ErrorCode.NODE_LOST);
                assertThat(failed.cause().rank()).hasValue(lost);
              });
      List<String> addresses = cluster.nodes().stream().map(Node::address).toList();
      String all = String.join(",", addresses);
      List<String> told = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        told.add("[%d] %d of %s leader %s".formatted(rank, rank, all, addresses.getFirst()));
      }
      assertThat(lines(cluster)).isEqualTo(told);
    }
  }

  @Test
  void aGangWhoseFabricHasNoOtherNodeGivesItsNodesBackAndGetsOthers() throws Exception {
    Events events = new Events();
    ClusterSpec spec = shell(2, ENDS_THE_SECOND_TIME).restart(AT_ONCE).build();
    try (ClusterEngine engine = engine()) {
      Launch launch = engine.launch(spec).withListener(events).withRdma();
      try (Cluster cluster = launch.await()) {
        List<NodeId> before = nodes(cluster);
        lose(events, 1);
        ClusterExit exit = cluster.join();
        assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
        assertThat(exit.attempt()).isEqualTo(2);
        assertThat(nodes(cluster)).doesNotContainAnyElementsOf(before);
        assertThat(events.states())
            .containsSubsequence(
                ClusterState.RESTARTING,
                ClusterState.QUEUED,
                ClusterState.PLACED,
                ClusterState.BOOTING,
                ClusterState.PREPARING,
                ClusterState.RUNNING);
      }
      assertThat(engine.pool()).isEmpty();
    }
  }

  @Test
  void aGangThatMayBeSmallerGoesOnWithoutTheLostNodeAndNumbersItsRanksAnew() throws Exception {
    Events events = new Events();
    ClusterSpec spec =
        shell(1, ENDS_THE_SECOND_TIME + "; echo $CLUSTERED_SIZE ranks")
            .nodes(2, 3)
            .restart(AT_ONCE)
            .build();
    try (ClusterEngine engine = engine();
        Cluster cluster = engine.launch(spec).withListener(events).withRdma().await()) {
      List<NodeId> before = nodes(cluster);
      assertThat(before).hasSize(3);
      lose(events, 1);
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(exit.ranks()).hasSize(2);
      assertThat(nodes(cluster)).containsExactly(before.get(0), before.get(2));
      assertThat(lines(cluster)).contains("[0] 2 ranks", "[1] 2 ranks").hasSize(4);
    }
  }

  @Test
  void aGangThatMayBeSmallerBeginsWithWhatThereIs() throws Exception {
    ClusterSpec spec = shell(1, "echo $CLUSTERED_SIZE").nodes(2, 8).build();
    try (ClusterEngine engine = on(LocalBackend.builder().nodes(3).factory()).open();
        Cluster cluster = engine.launch(spec).await()) {
      assertThat(cluster.join().ranks()).hasSize(3);
      assertThat(cluster.nodes()).hasSize(3);
      assertThat(lines(cluster)).containsExactly("[0] 3", "[1] 3", "[2] 3");
    }
  }

  @Test
  void restartsAfterLostNodesCanBeCountedByThemselves() throws Exception {
    Events events = new Events();
    RestartPolicy policy =
        RestartPolicy.upTo(5)
            .withPause(Duration.ZERO, Duration.ZERO)
            .withBudget(RestartCause.NODE_LOST, 0);
    try (ClusterEngine engine = engine();
        Cluster cluster =
            engine
                .launch(shell(2, "exec sleep 1000").restart(policy).build())
                .withListener(events)
                .await()) {
      lose(events, 1);
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(exit.cause().orElseThrow().code()).isEqualTo(ErrorCode.NODE_LOST);
      assertThat(exit.attempt()).isEqualTo(1);
    }
  }

  @Test
  void aStopWhileANodeIsReplacedLeavesNothing() throws Exception {
    Events events = new Events();
    ClusterSpec spec = shell(3, "exec sleep 1000").restart(AT_ONCE).build();
    try (ClusterEngine engine = engine()) {
      try (Cluster cluster = engine.launch(spec).withListener(events).await()) {
        assertThat(cluster.state()).isEqualTo(ClusterState.RUNNING);
        lose(events, 1);
        events.reached(ClusterState.RESTARTING);
      }
      assertThat(engine.pool()).isEmpty();
    }
  }
}

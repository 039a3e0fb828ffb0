// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.LONG;
import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Launch;
import dev.clustered.PendingCluster;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.Node;
import dev.clustered.model.PoolNode;
import dev.clustered.model.RankExit;
import dev.clustered.model.RestartPolicy;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster that began with fewer nodes than it may have gets more between two attempts. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class GrowingClusterTest {

  private static final RestartPolicy AT_ONCE =
      RestartPolicy.upTo(2).withPause(Duration.ZERO, Duration.ZERO);

  private static final ClusterSpec TWO_OR_THREE =
      shell(
              1,
              "test $CLUSTERED_ATTEMPT = 1 && exec sleep 1000; "
                  + "echo $PET_NNODES $WORLD_SIZE $CLUSTERED_SIZE $CLUSTERED_ADDRESSES")
          .nodes(2, 3)
          .restart(AT_ONCE)
          .build();

  private static ClusterEngine engineOfThree() {
    return on(LocalBackend.builder().nodes(3).factory()).idleNodeTime(LONG).open();
  }

  private static void fail(Events events, int rank) {
    assertThat(ProcessHandle.of(events.process(rank)).orElseThrow().destroyForcibly()).isTrue();
  }

  private static List<PoolNode> idle(ClusterEngine engine) {
    return engine.pool().stream().filter(node -> node.clusters().isEmpty()).toList();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void takesANodeThatHasComeFreeWhenARankFailsAndEveryRankIsToldTheNewSize(boolean rdma)
      throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = engineOfThree()) {
      Cluster other = launch(engine, lasting(1), rdma).await();
      Launch launch = launch(engine, TWO_OR_THREE, rdma).withListener(events);
      try (Cluster cluster = launch.await()) {
        List<Node> before = cluster.nodes();
        assertThat(before).hasSize(2);
        events.process(1);
        other.close();
        assertThat(idle(engine)).hasSize(1);
        fail(events, 0);
        ClusterExit exit = cluster.join();
        assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
        assertThat(exit.attempt()).isEqualTo(2);
        List<Node> after = cluster.nodes();
        assertThat(after).hasSize(3);
        assertThat(after.subList(0, 2)).extracting(Node::id).isEqualTo(ids(before));
        List<String> addresses = after.stream().map(Node::address).toList();
        assertThat(exit.ranks())
            .hasSize(3)
            .extracting(RankExit::logTail)
            .containsOnly("3 3 3 %s\n".formatted(String.join(",", addresses)));
        assertThat(events.of(ClusterEvent.StateChanged.class))
            .filteredOn(changed -> changed.state() == ClusterState.PREPARING)
            .extracting(ClusterEvent.StateChanged::detail)
            .last()
            .isEqualTo("attempt 2, 3 ranks in the place of 2");
      }
    }
  }

  private static Launch launch(ClusterEngine engine, ClusterSpec spec, boolean rdma) {
    return rdma ? engine.launch(spec).withRdma() : engine.launch(spec);
  }

  private static List<dev.clustered.model.NodeId> ids(List<Node> nodes) {
    return nodes.stream().map(Node::id).toList();
  }

  @Test
  void isNeverDisturbedForANodeThatComesFreeWhileItRuns() throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = engineOfThree()) {
      Cluster other = engine.launch(lasting(1)).await();
      try (Cluster cluster = engine.launch(TWO_OR_THREE).withListener(events).await()) {
        other.close();
        // Whatever the engine makes of the node, it has when it has placed another cluster on it.
        try (Cluster later = engine.launch(lasting(1)).await()) {
          assertThat(later.nodes()).hasSize(1);
        }
        assertThat(cluster.attempt()).isEqualTo(1);
        assertThat(cluster.nodes()).hasSize(2);
      }
    }
  }

  @Test
  void leavesANodeToAClusterThatWaitsForIt() throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = engineOfThree()) {
      Cluster other = engine.launch(lasting(1)).await();
      try (Cluster cluster = engine.launch(TWO_OR_THREE).withListener(events).await()) {
        events.process(1);
        PendingCluster waiting = engine.launch(lasting(2)).start();
        Eventually.within(PATIENCE).isTrue("it waits", () -> !waiting.waitingFor().isEmpty());
        other.close();
        fail(events, 0);
        assertThat(cluster.join().ranks()).as("the free node is kept").hasSize(2);
        cluster.stop(Duration.ZERO);
        assertThat(waiting.ready().get(1, TimeUnit.MINUTES).nodes()).hasSize(2);
      }
    }
  }

  @Test
  void launchesNothingToGrow() throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = on(LocalBackend.builder().nodes(3).factory()).open()) {
      Cluster other = engine.launch(lasting(1)).await();
      try (Cluster cluster = engine.launch(TWO_OR_THREE).withListener(events).await()) {
        events.process(1);
        other.close();
        fail(events, 0);
        assertThat(cluster.join().ranks()).hasSize(2);
      }
    }
  }
}

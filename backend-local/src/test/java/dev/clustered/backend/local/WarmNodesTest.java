// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.LONG;
import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.agents;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Node;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes without work are kept for a time, used again meanwhile, and given back after it. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class WarmNodesTest {

  private static final ClusterSpec SHORT = shell(2, "ls -A | wc -l; touch mark").build();

  private static ClusterEngine keeping(Duration idle) {
    return on(LocalBackend.builder().factory()).idleNodeTime(idle).open();
  }

  /** Runs a cluster to its end and tells which nodes it had. */
  private static List<NodeId> run(Form form, ClusterEngine engine, ClusterSpec spec)
      throws Exception {
    try (Cluster cluster = form.ready(engine.launch(spec))) {
      assertThat(form.exit(cluster).ranks())
          .allSatisfy(rank -> assertThat(rank.logTail()).isEqualTo("0\n"));
      return nodes(cluster);
    }
  }

  private static List<NodeId> nodes(Cluster cluster) {
    return cluster.nodes().stream().map(Node::id).toList();
  }

  @ParameterizedTest
  @EnumSource
  void theNextClusterRunsOnTheSameNodesAndFindsNothingOfTheLast(Form form) throws Exception {
    try (ClusterEngine engine = keeping(LONG)) {
      List<NodeId> first = run(form, engine, SHORT);
      assertThat(engine.pool())
          .hasSize(2)
          .allSatisfy(
              node -> {
                assertThat(node.state()).isEqualTo(PoolNode.State.READY);
                assertThat(node.clusters()).isEmpty();
              });
      assertThat(run(form, engine, SHORT)).isEqualTo(first);
      assertThat(engine.pool()).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theNodesOfAFailedClusterServeTheNext(Form form) throws Exception {
    try (ClusterEngine engine = keeping(LONG)) {
      try (Cluster failed = form.ready(engine.launch(shell(2, "exit $NODE_RANK").build()))) {
        assertThat(form.exit(failed).success()).isFalse();
        failed.stop(Duration.ZERO);
        assertThat(run(form, engine, SHORT)).isEqualTo(nodes(failed));
      }
    }
  }

  @Test
  void theyAreGivenBackAfterTheTime() throws Exception {
    try (ClusterEngine engine = keeping(Duration.ofMillis(600))) {
      assertThat(run(Form.BLOCKING, engine, SHORT)).hasSize(2);
      Eventually.within(PATIENCE).passes(() -> assertThat(engine.pool()).isEmpty());
    }
  }

  @Test
  void noNodeIsKeptByDefault() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      assertThat(run(Form.BLOCKING, engine, SHORT)).hasSize(2);
      assertThat(engine.pool()).isEmpty();
    }
  }

  @Test
  void theyMakeRoomForAGangOfAnotherShape() throws Exception {
    try (ClusterEngine engine =
        on(LocalBackend.builder().nodes(2).factory()).idleNodeTime(LONG).open()) {
      ClusterSpec plain = SHORT.toBuilder().shape("local.cpu").build();
      ClusterSpec gpus = SHORT.toBuilder().shape("local.gpu8").build();
      List<NodeId> first = run(Form.BLOCKING, engine, plain);
      assertThat(run(Form.BLOCKING, engine, gpus)).doesNotContainAnyElementsOf(first);
      assertThat(engine.pool())
          .extracting(node -> node.shape().name())
          .containsExactly("local.gpu8", "local.gpu8");
    }
  }

  @Test
  void oneThatIsLostWhileItIsIdleIsReplaced() throws Exception {
    try (ClusterEngine engine =
        on(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory()).idleNodeTime(LONG).open()) {
      ClusterSpec single = SHORT.toBuilder().nodes(1).build();
      List<NodeId> first = run(Form.BLOCKING, engine, single);
      assertThat(agents()).singleElement().matches(ProcessHandle::destroyForcibly);
      Eventually.within(PATIENCE).passes(() -> assertThat(engine.pool()).isEmpty());
      assertThat(run(Form.BLOCKING, engine, single)).doesNotContainAnyElementsOf(first);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nodes that are kept after the end of a cluster. */
@Tag("integration")
@Timeout(60)
@ExtendWith(NothingLeft.class)
class WarmNodesTest {

  @Test
  void aClusterRunsOnNodesThatAnEarlierOneLeftWarm() throws Exception {
    ClusterSpec spec = ClusterSpec.builder("x").nodes(2).command("true").build();
    try (ClusterEngine engine =
        Clusters.engine()
            .backend(LocalBackend.builder().factory())
            .idleNodeTime(Duration.ofMinutes(5))
            .open()) {
      run(engine, spec);
      List<PoolNode> warm = engine.pool();
      assertThat(warm).hasSize(2);
      run(engine, spec);
      assertThat(engine.pool()).extracting(PoolNode::id).isEqualTo(ids(warm));
      run(engine, spec.toBuilder().nodes(3).build());
    }
  }

  private static List<NodeId> ids(List<PoolNode> nodes) {
    return nodes.stream().map(PoolNode::id).toList();
  }

  private static void run(ClusterEngine engine, ClusterSpec spec) throws InterruptedException {
    try (Cluster cluster = engine.launch(spec).await()) {
      assertThat(cluster.join().success()).isTrue();
    }
  }
}

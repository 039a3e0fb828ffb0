// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("integration")
class ReadmeTest {

  @Test
  void theFirstExampleRuns() throws Exception {
    // region launch
    ClusterSpec spec =
        ClusterSpec.builder("hello").nodes(4).command("sh", "-c", "echo rank $NODE_RANK").build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      System.out.println(exit.outcome());
    }
    // endregion
    assertThat(spec.nodes()).isEqualTo(4);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Setting;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NothingLeft.class)
class GuideTest {

  @Test
  void takesSettingsAsText() {
    // region settings
    ClusterEngine engine =
        Clusters.engine()
            .setting("local", "zones", "here, there")
            .setting("local", "nodes", "8")
            .setting("local", "boot-time", "PT2S")
            .open();
    // endregion
    try (engine) {
      assertThat(engine.pool()).isEmpty();
    }
  }

  @Test
  void takesABuilder() {
    // region builder
    BackendFactory factory =
        LocalBackend.builder()
            .zone("here")
            .nodes(16)
            .fabricNodes(8)
            .blockNodes(4)
            .shape(new Shape("gpu4", new Resources(4, "H200", 8, ByteSize.gibibytes(32)), 4, 1_600))
            .bootTime(Duration.ofSeconds(2))
            .agents(AgentPlace.OWN_JVM)
            .factory();
    // endregion
    assertThat(factory.settings())
        .extracting(Setting::defaultValue)
        .contains("here", "16", "gpu4 gpus=4 model=H200 cpus=8 memory=32GiB nics=4 rdma-gbps=1600");
  }

  @Test
  void takesADirectoryForOutlivingNodes() {
    // region outliving
    BackendFactory factory =
        LocalBackend.builder()
            .agents(AgentPlace.OUTLIVING)
            .directory(Path.of("/var/lib/training"))
            .factory();
    // endregion
    assertThat(factory.settings())
        .extracting(Setting::defaultValue)
        .contains("outliving", "/var/lib/training");
  }
}

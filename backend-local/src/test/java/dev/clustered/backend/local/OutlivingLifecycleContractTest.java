// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;
import dev.clustered.testkit.BackendLifecycleContract;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

class OutlivingLifecycleContractTest extends BackendLifecycleContract {

  @TempDir private Path nodes;
  private int opened;

  @Override
  protected BackendFactory factory() {
    return new EndingFactory(new LocalBackendFactory());
  }

  /** Each backend has a directory of its own: a second one in the same would be refused. */
  @Override
  protected Map<String, String> settings() {
    String own = nodes.resolve("opened-" + opened++).toString();
    return Map.of("nodes", "4", "agents", "outliving", "directory", own);
  }

  @Override
  protected Map<String, String> unusableSettings() {
    return Map.of(
        "zones", "local-a,local-a",
        "directory", "a/relative/one",
        "nodes", "0",
        "fabric-nodes", "many",
        "block-nodes", "-1",
        "shapes", "local.cpu colour=red",
        "boot-time", "PT-1S",
        "agents", "elsewhere",
        "hourly-price", "-0.5");
  }

  @Override
  protected String bootstrapDocument(NodeId node) {
    return Bootstraps.document(node);
  }
}

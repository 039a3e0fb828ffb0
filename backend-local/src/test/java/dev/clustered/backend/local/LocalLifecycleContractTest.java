// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;
import dev.clustered.testkit.BackendLifecycleContract;
import java.util.Map;

class LocalLifecycleContractTest extends BackendLifecycleContract {

  @Override
  protected BackendFactory factory() {
    return new LocalBackendFactory();
  }

  @Override
  protected Map<String, String> settings() {
    return Map.of("nodes", "4", "agents", "in-process");
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

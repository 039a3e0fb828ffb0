// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;
import dev.clustered.testkit.CapacityContract;
import java.util.Map;

// region contract
class LocalCapacityContractTest extends CapacityContract {

  @Override
  protected BackendFactory factory() {
    return new LocalBackendFactory();
  }

  @Override
  protected Map<String, String> settings() {
    return Map.of("nodes", "4", "agents", "in-process");
  }

  @Override
  protected String bootstrapDocument(NodeId node) {
    return Bootstraps.document(node);
  }
}
// endregion

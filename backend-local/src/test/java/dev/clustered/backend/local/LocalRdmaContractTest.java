// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;
import dev.clustered.testkit.RdmaContract;
import java.util.Map;

class LocalRdmaContractTest extends RdmaContract {

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

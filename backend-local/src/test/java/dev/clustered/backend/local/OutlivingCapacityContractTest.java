// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;
import dev.clustered.testkit.CapacityContract;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

class OutlivingCapacityContractTest extends CapacityContract {

  @TempDir private Path nodes;

  @Override
  protected BackendFactory factory() {
    return new EndingFactory(new LocalBackendFactory());
  }

  @Override
  protected Map<String, String> settings() {
    return Map.of("nodes", "4", "agents", "outliving", "directory", nodes.toString());
  }

  @Override
  protected String bootstrapDocument(NodeId node) {
    return Bootstraps.document(node);
  }
}

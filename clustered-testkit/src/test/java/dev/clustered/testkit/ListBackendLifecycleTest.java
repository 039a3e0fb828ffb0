// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;
import java.util.Map;

class ListBackendLifecycleTest extends BackendLifecycleContract {

  @Override
  protected BackendFactory factory() {
    return new ListBackendFactory();
  }

  @Override
  protected Map<String, String> unusableSettings() {
    return Map.of("flaw", "no-such-flaw");
  }

  @Override
  protected String bootstrapDocument(NodeId node) {
    return "token-of-" + node;
  }
}

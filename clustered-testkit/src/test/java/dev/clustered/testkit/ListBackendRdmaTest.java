// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;

class ListBackendRdmaTest extends RdmaContract {

  @Override
  protected BackendFactory factory() {
    return new ListBackendFactory();
  }

  @Override
  protected String bootstrapDocument(NodeId node) {
    return "token-of-" + node;
  }
}

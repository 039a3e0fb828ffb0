// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import dev.clustered.model.NodeId;
import java.net.URI;

/** Start-up documents of agents whose engine never answers: nothing listens on its port. */
final class Bootstraps {

  private Bootstraps() {}

  static String document(NodeId node) {
    return Json.mapper()
        .writeValueAsString(
            new AgentBootstrap(
                node, URI.create("https://127.0.0.1:10654"), "ab".repeat(32), "token-of-" + node));
  }
}

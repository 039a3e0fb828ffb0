// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.NodeId;
import java.net.URI;

/**
 * What an agent is born with. Immutable and thread-safe.
 *
 * @param node the identity of its node
 * @param control the engine's endpoint
 * @param certificate SHA-256 of the only certificate the agent accepts, in lower-case hex
 * @param joinToken a secret that is good for one join
 */
public record AgentBootstrap(NodeId node, URI control, String certificate, String joinToken) {

  /** Without the token. */
  @Override
  public String toString() {
    return "AgentBootstrap[node=" + node + ", control=" + control + "]";
  }
}

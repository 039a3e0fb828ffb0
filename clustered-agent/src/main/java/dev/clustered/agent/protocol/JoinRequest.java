// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.NodeId;
import java.util.List;

/**
 * An agent's first message. Immutable and thread-safe.
 *
 * @param node the identity it was born with
 * @param token the single-use join token
 * @param addresses the node's addresses, best first, literals without brackets
 * @param processId the process that hosts the agent
 */
public record JoinRequest(NodeId node, String token, List<String> addresses, long processId) {

  public JoinRequest {
    addresses = List.copyOf(addresses);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "JoinRequest[node=" + node + "]";
  }
}

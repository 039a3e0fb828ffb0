// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.AgentBootstrap;
import java.nio.file.Path;
import java.util.List;

/**
 * What {@link AgentMain} reads, as JSON. Immutable and thread-safe.
 *
 * @param bootstrap what the agent is born with
 * @param directory a directory of its own, which it makes, and deletes when it ends
 * @param addresses the node's addresses, best first, literals without brackets
 * @param endWithStandardInput whether the agent ends when its standard input does
 */
public record AgentFile(
    AgentBootstrap bootstrap,
    Path directory,
    List<String> addresses,
    boolean endWithStandardInput) {

  public AgentFile {
    addresses = List.copyOf(addresses);
  }
}

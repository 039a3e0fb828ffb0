// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.AgentBootstrap;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What {@link AgentMain} reads, as JSON. Immutable and thread-safe.
 *
 * @param bootstrap what the agent is born with
 * @param directory a directory of its own, which it makes, and deletes when it ends
 * @param addresses the node's addresses, best first, literals without brackets
 * @param endWithStandardInput whether the agent ends when its standard input does
 * @param shared a directory whose {@link DirectoryLock} the agent clears away at its end when
 *     nobody holds it; empty for none
 */
public record AgentFile(
    AgentBootstrap bootstrap,
    Path directory,
    List<String> addresses,
    boolean endWithStandardInput,
    Optional<Path> shared) {

  public AgentFile {
    addresses = List.copyOf(addresses);
  }

  /** Of an agent that shares no directory. */
  public AgentFile(
      AgentBootstrap bootstrap,
      Path directory,
      List<String> addresses,
      boolean endWithStandardInput) {
    this(bootstrap, directory, addresses, endWithStandardInput, Optional.empty());
  }
}

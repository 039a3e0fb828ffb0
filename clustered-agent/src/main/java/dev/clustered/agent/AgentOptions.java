// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.spi.NodeRuntime;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/**
 * What an agent works with. Immutable.
 *
 * @param bootstrap what it was born with
 * @param directory a directory of its own, which it makes, and deletes when it ends
 * @param addresses the node's addresses, best first, literals without brackets
 * @param runtime what runs the workloads; the agent does not close it
 * @param transport the way to the engine; the agent does not close it
 * @param clock the node's clock, for the times in reports
 */
public record AgentOptions(
    AgentBootstrap bootstrap,
    Path directory,
    List<String> addresses,
    NodeRuntime runtime,
    AgentTransport transport,
    InstantSource clock) {

  public AgentOptions {
    directory = directory.toAbsolutePath().normalize();
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException(
          "node " + bootstrap.node() + " has no address; give the one the other ranks reach it at");
    }
  }
}

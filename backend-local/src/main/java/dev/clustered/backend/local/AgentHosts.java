// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.protocol.AgentBootstrap;
import java.io.IOException;
import java.nio.file.Path;

/** Starts agents. Thread-safe. */
interface AgentHosts extends AutoCloseable {

  /**
   * Starts an agent and returns at once.
   *
   * @param node what is known of its node, the address included
   * @param directory exists and is the agent's own: it deletes it at its end
   */
  AgentHost start(NodeRecord node, AgentBootstrap bootstrap, Path directory) throws IOException;

  /** The identity of the instance that a program launches as its so many-th. */
  default String instance(long number) {
    return "local-" + number;
  }

  /** Whether agents stay when this program ends or closes. */
  default boolean outlive() {
    return false;
  }

  /** Looks once, before the first start, for what an earlier program has left. */
  default FoundNodes find() {
    return FoundNodes.NONE;
  }

  /** Gives back what the agents shared; all of them have ended, or outlive this program. */
  @Override
  void close();
}

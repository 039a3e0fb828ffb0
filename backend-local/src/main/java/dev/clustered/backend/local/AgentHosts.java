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
   * @param directory exists and is the agent's own: it deletes it at its end
   * @param address the address of its node
   */
  AgentHost start(AgentBootstrap bootstrap, Path directory, String address) throws IOException;

  /** Gives back what the agents shared; all of them have ended. */
  @Override
  void close();
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.protocol.AgentBootstrap;
import java.io.IOException;
import java.nio.file.Path;

/** Starts agents. Thread-safe. */
interface AgentHosts extends AutoCloseable {

  /** Starts an agent, which may use a directory and an address as its own; returns at once. */
  AgentHost start(AgentBootstrap bootstrap, Path directory, String address) throws IOException;

  /** Gives back what the agents shared; all of them have ended. */
  @Override
  void close();
}

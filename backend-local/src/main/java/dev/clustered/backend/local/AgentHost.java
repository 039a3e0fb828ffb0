// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** A running agent. Thread-safe. */
interface AgentHost extends AutoCloseable {

  /** Completed with a sentence that says why, when the agent has ended. */
  CompletableFuture<String> ended();

  /** Says that its whole launch runs, so that the agent is to stay. */
  default void keep() throws IOException {}

  /** Ends the agent and all it runs; returns when nothing is left. */
  @Override
  void close();
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import dev.clustered.agent.protocol.DesiredState;
import dev.clustered.agent.protocol.JoinReply;
import dev.clustered.agent.protocol.JoinRequest;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** What the endpoint needs of the engine. Thread-safe; called on one virtual thread a request. */
public interface AgentGateway {

  /** The session of an agent with a good, unused token; empty when it is refused. */
  Optional<JoinReply> join(JoinRequest request);

  /** Whether this is the session secret of that node. */
  boolean admits(NodeId node, String session);

  /** The node's desired state as soon as it is newer; empty when the poll's time is over. */
  Optional<DesiredState> poll(NodeId node, long generation) throws InterruptedException;

  /** A node's report. */
  void observed(NodeId node, ObservedState state);

  /** What an attempt runs; empty when that node has no part in it. */
  Optional<WorkDocument> work(NodeId node, ClusterId cluster, int attempt);

  /** What an attempt's nodes may fetch; empty when that node has no part in it. */
  Optional<BlobSource> blobs(NodeId node, ClusterId cluster, int attempt);

  /**
   * Stores log bytes at an offset.
   *
   * @return the bytes stored from the start; empty when that node has no such rank
   */
  Optional<Long> logs(
      NodeId node, ClusterId cluster, int attempt, int rank, long offset, InputStream bytes)
      throws IOException;

  /** What agents ask about commands beside ranks. */
  ExecGateway execs();
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.time.Duration;
import java.util.List;

/** The engine's side of the lines to all agents. Thread-safe. */
interface Lines {

  /** A cluster's nodes may fetch what it is made of. */
  void open(ClusterRecord cluster);

  /** A cluster has ended. */
  void close(ClusterId cluster);

  /** The generation that holds from now on; 0 for a node that is not known. */
  long desire(NodeId node, List<DesiredWork> work);

  /** How long a node has not been heard. */
  Duration silence(NodeId node);

  /**
   * Knows a node that an engine before this one had; nothing is said to it before it is desired.
   *
   * @param joined whether its agent had reported
   */
  void restore(NodeId node, boolean joined);

  /** Forgets a node; its agent is refused from now on. */
  void forget(NodeId node);
}

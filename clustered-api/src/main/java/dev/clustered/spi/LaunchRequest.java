// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import java.util.List;
import java.util.Optional;

/**
 * Nodes to be launched as a unit. Immutable and thread-safe.
 *
 * @param id makes a repeated call safe
 * @param owner the label of the engine, to be put on every instance by the call that makes it
 * @param offer which shape, zone and market
 * @param nodes one bootstrap for each node
 * @param rdma present when all nodes must be on one RDMA fabric; it is known at launch because the
 *     network cards of a node are decided then
 */
public record LaunchRequest(
    LaunchId id, String owner, Offer offer, List<Bootstrap> nodes, Optional<RdmaOptions> rdma) {

  /**
   * What a node's agent needs to report for the first time.
   *
   * @param node the identity the node gets
   * @param document an opaque text for the agent; holds a secret that is good for one use
   */
  public record Bootstrap(NodeId node, String document) {

    /** The node alone: the document is a secret. */
    @Override
    public String toString() {
      return "Bootstrap[node=" + node + "]";
    }
  }

  public LaunchRequest {
    nodes = List.copyOf(nodes);
  }
}

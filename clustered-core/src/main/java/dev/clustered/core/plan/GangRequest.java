// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import java.time.Instant;
import java.util.Optional;

/**
 * A gang that waits for its nodes. Immutable and thread-safe.
 *
 * @param nodes how many nodes, each a different one; 1 or more
 * @param shape the only shape wanted
 * @param each what a rank takes of its node; empty when it takes the whole node. With RDMA a rank
 *     takes the whole node too, and this is what the node must have at least
 * @param rdma the wish for one fabric
 * @param backend the only backend wanted
 * @param layout how it wants to lie in the topology
 * @param priority the higher goes first; 0 by default
 */
public record GangRequest(
    ClusterId id,
    int nodes,
    Optional<String> shape,
    Optional<Resources> each,
    Optional<RdmaOptions> rdma,
    Optional<String> backend,
    Instant queuedAt,
    Layout layout,
    int priority) {

  public GangRequest {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "gang " + id + " asks for 1 node or more; received: " + nodes);
    }
    if (each.filter(GangRequest::nothing).isPresent()) {
      throw new IllegalArgumentException(
          "a rank of gang " + id + " takes something of its node; received: " + each.get());
    }
    for (Layout.Block block : layout.blocks()) {
      if (nodes % block.ranks() != 0) {
        throw new IllegalArgumentException(
            "gang %s of %d nodes does not divide into blocks of %d of the level %s"
                .formatted(id, nodes, block.ranks(), block.level()));
      }
    }
  }

  /** A gang of priority 0 that may lie anywhere. */
  public GangRequest(
      ClusterId id,
      int nodes,
      Optional<String> shape,
      Optional<Resources> each,
      Optional<RdmaOptions> rdma,
      Optional<String> backend,
      Instant queuedAt) {
    this(id, nodes, shape, each, rdma, backend, queuedAt, Layout.ANY, 0);
  }

  private static boolean nothing(Resources each) {
    return each.gpus() == 0 && each.cpus() == 0 && each.memory().bytes() == 0;
  }

  /** The same with another layout. */
  public GangRequest withLayout(Layout other) {
    return new GangRequest(id, nodes, shape, each, rdma, backend, queuedAt, other, priority);
  }

  /** The same with another priority. */
  public GangRequest withPriority(int other) {
    return new GangRequest(id, nodes, shape, each, rdma, backend, queuedAt, layout, other);
  }

  Need need() {
    return new Need(backend, shape, each, rdma);
  }
}

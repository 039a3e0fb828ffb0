// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
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
 */
public record GangRequest(
    ClusterId id,
    int nodes,
    Optional<String> shape,
    Optional<Resources> each,
    Optional<RdmaOptions> rdma,
    Optional<String> backend,
    Instant queuedAt) {

  public GangRequest {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "gang " + id + " asks for 1 node or more; received: " + nodes);
    }
    if (each.filter(GangRequest::nothing).isPresent()) {
      throw new IllegalArgumentException(
          "a rank of gang " + id + " takes something of its node; received: " + each.get());
    }
  }

  private static boolean nothing(Resources each) {
    return each.gpus() == 0 && each.cpus() == 0 && each.memory().bytes() == 0;
  }

  /** Whether every rank takes its node whole. */
  public boolean wholeNodes() {
    return each.isEmpty() || rdma.isPresent();
  }

  /** What a rank takes of an empty node of a shape. */
  public Resources takes(Shape node) {
    return wholeNodes() ? node.resources() : each.orElseGet(node::resources);
  }

  /** Whether an empty node of this backend and shape would hold a rank. */
  boolean fits(String nodeBackend, Shape node) {
    return fitsWithoutRdma(nodeBackend, node)
        && rdma.map(wish -> node.rdmaGigabits() >= wish.minimumGigabits()).orElse(true);
  }

  boolean fitsWithoutRdma(String nodeBackend, Shape node) {
    return backend.map(nodeBackend::equals).orElse(true)
        && shape.map(node.name()::equals).orElse(true)
        && each.map(node.resources()::holds).orElse(true);
  }
}

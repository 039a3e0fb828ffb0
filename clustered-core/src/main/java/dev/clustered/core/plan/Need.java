// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.util.Optional;

/**
 * What one rank takes of its node, and which nodes suit it: gangs of equal need are counted
 * together. Immutable and thread-safe.
 *
 * @param backend the only backend wanted
 * @param shape the only shape wanted
 * @param each what a rank takes; empty when it takes the whole node. With RDMA a rank takes the
 *     whole node too, and this is what the node must have at least
 * @param rdma the wish for one fabric
 */
record Need(
    Optional<String> backend,
    Optional<String> shape,
    Optional<Resources> each,
    Optional<RdmaOptions> rdma) {

  /** Whether a rank takes its node whole. */
  boolean wholeNodes() {
    return each.isEmpty() || rdma.isPresent();
  }

  /** What a rank takes of an empty node of a shape. */
  Resources takes(Shape node) {
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

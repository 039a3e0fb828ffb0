// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.model.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * A rank or a spare that needs another node. Immutable.
 *
 * @param rank {@link Replacement#SPARE} for a spare
 * @param role what it runs as; the first role for a spare
 * @param node what it had
 * @param was where that is, when the pool still knows it
 * @param shape what the other node is of; empty when nobody knows any more
 * @param groups the ranks with which it must lie in one domain, for each level, outermost first
 */
record Loss(
    int rank,
    Role role,
    NodeId node,
    Optional<Slot> was,
    Optional<String> shape,
    List<Bounds.Group> groups) {

  Loss {
    groups = List.copyOf(groups);
  }

  boolean isSpare() {
    return rank == Replacement.SPARE;
  }

  Need need() {
    return role.need();
  }

  /** Whether an empty node of this kind would do. */
  boolean suits(NodeView node) {
    return shape.map(node.shape().name()::equals).orElse(true)
        && need().fits(node.backend(), node.shape())
        && need().admits(node);
  }
}

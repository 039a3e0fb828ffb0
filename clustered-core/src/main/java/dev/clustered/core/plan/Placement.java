// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.List;

/**
 * The nodes that a gang takes.
 *
 * @param assignments one for each rank, in rank order
 * @param spares what it holds beside them
 * @param roles what it runs as, with as many ranks as it gets
 */
record Placement(List<Assignment> assignments, List<Assignment> spares, List<Role> roles) {
  Placement {
    assignments = List.copyOf(assignments);
    spares = List.copyOf(spares);
    roles = List.copyOf(roles);
  }

  /** The node of each rank in rank order, then of each spare. */
  List<NodeId> nodes() {
    List<NodeId> nodes = new ArrayList<>();
    assignments.forEach(assignment -> nodes.add(assignment.node()));
    spares.forEach(spare -> nodes.add(spare.node()));
    return nodes;
  }
}

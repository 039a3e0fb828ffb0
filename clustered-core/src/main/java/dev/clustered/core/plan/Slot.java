// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.Resources;
import java.util.Comparator;
import java.util.List;

/** A node and what this plan has left of it. Not thread-safe. */
final class Slot {

  /** Neighbours in the topology follow one another. */
  static final Comparator<Slot> BY_PLACE =
      Comparator.comparing((Slot slot) -> slot.path).thenComparing(slot -> slot.node.id());

  /** Best fit: nodes that are partly used first, then those with the least left. */
  static final Comparator<Slot> FULLEST_FIRST =
      Comparator.comparing(Slot::empty)
          .thenComparingInt(slot -> slot.left.gpus())
          .thenComparingInt(slot -> slot.left.cpus())
          .thenComparing(slot -> slot.left.memory())
          .thenComparing(BY_PLACE);

  private final NodeView node;
  private final String path;
  private Resources left;
  private List<Integer> gpus;
  private boolean touched;

  Slot(NodeView node) {
    this.node = node;
    this.path = node.topology().toString();
    this.left = node.free();
    this.gpus = node.freeGpus();
  }

  NodeView node() {
    return node;
  }

  /** Whether nobody holds a part of the node, this plan's gangs among them. */
  boolean empty() {
    return node.empty() && !touched;
  }

  /** Whether a rank of a gang that the node's shape fits finds room now. */
  boolean holds(GangRequest gang) {
    if (gang.wholeNodes()) {
      return empty();
    }
    Resources each = gang.takes(node.shape());
    return node.ready() && left.holds(each) && gpus.size() >= each.gpus();
  }

  Assignment take(GangRequest gang) {
    touched = true;
    if (gang.wholeNodes()) {
      release();
      return new Assignment(node.id(), node.freeGpus());
    }
    Resources each = gang.takes(node.shape());
    Assignment assignment = new Assignment(node.id(), gpus.subList(0, each.gpus()));
    left = left.minus(each);
    gpus = gpus.subList(each.gpus(), gpus.size());
    return assignment;
  }

  /** Takes the whole node out of the pool. */
  void release() {
    touched = true;
    left = Resources.NONE;
    gpus = List.of();
  }

  int sharedDepth(Slot other) {
    return node.topology().sharedDepth(other.node.topology());
  }
}

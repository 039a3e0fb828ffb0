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
          .thenComparing(slot -> slot.left.memory());

  private final Places places;
  private final Place place;
  private final String path;
  private NodeView node;
  private Resources left;
  private List<Integer> gpus;
  private boolean touched;

  Slot(NodeView node, Places places, Place place) {
    this.places = places;
    this.place = place;
    this.path = node.topology().toString();
    this.node = node;
    this.left = node.free();
    this.gpus = node.freeGpus();
  }

  /** Whether a node could be this one, at its place. */
  boolean sameKind(NodeView other) {
    return node.backend().equals(other.backend())
        && node.shape().equals(other.shape())
        && node.topology().equals(other.topology());
  }

  void become(NodeView other) {
    node = other;
    left = other.free();
    gpus = other.freeGpus();
    touched = false;
  }

  NodeView node() {
    return node;
  }

  Place place() {
    return place;
  }

  /** Whether nobody holds a part of the node, this plan's gangs among them. */
  boolean empty() {
    return node.empty() && !touched;
  }

  /** Whether a rank of a need that the node's shape fits finds room now. */
  boolean holds(Need need) {
    if (need.wholeNodes()) {
      return empty();
    }
    Resources each = need.takes(node.shape());
    return node.ready() && left.holds(each) && gpus.size() >= each.gpus();
  }

  /** Gives a rank its part, or the whole node. */
  Assignment take(Need need, Undo undo) {
    undo.remember(this, left, gpus, touched);
    if (need.wholeNodes()) {
      set(Resources.NONE, List.of(), true);
      return new Assignment(node.id(), node.freeGpus());
    }
    Resources each = need.takes(node.shape());
    Assignment assignment = new Assignment(node.id(), gpus.subList(0, each.gpus()));
    set(left.minus(each), gpus.subList(each.gpus(), gpus.size()), true);
    return assignment;
  }

  /** Takes the whole node out of the pool. */
  void release(Undo undo) {
    undo.remember(this, left, gpus, touched);
    set(Resources.NONE, List.of(), true);
  }

  void set(Resources newLeft, List<Integer> newGpus, boolean newTouched) {
    places.change(
        this,
        () -> {
          left = newLeft;
          gpus = newGpus;
          touched = newTouched;
        });
  }
}

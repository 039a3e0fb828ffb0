// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.Resources;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/** A node and what this plan has left of it. Not thread-safe. */
final class Slot {

  /** Neighbours in the topology of a backend follow one another. */
  static final Comparator<Slot> BY_PLACE = Comparator.comparingInt((Slot slot) -> slot.order);

  /** Best fit: nodes that are partly used first, then those with the least left. */
  static final Comparator<Slot> FULLEST_FIRST =
      Comparator.comparingLong((Slot slot) -> slot.fullness);

  private static final int GPU_BITS = 10;
  private static final int CPU_BITS = 14;
  private static final int MEBIBYTE_BITS = 36;

  private final Places places;
  private final Place place;
  private final List<Room> rooms;
  private NodeView node;
  private Resources left;
  private List<Integer> gpus;
  private boolean touched;
  private long fullness;

  /** Its number among the nodes of its backend in topology order; set by {@link Places}. */
  int order;

  /** Which rooms count it; kept by {@link Room}. */
  final BitSet counted = new BitSet();

  Slot(NodeView node, Places places, Place place, List<Room> rooms) {
    this.places = places;
    this.place = place;
    this.rooms = rooms;
    this.node = node;
    this.left = node.free();
    this.gpus = node.freeGpus();
    this.fullness = measure();
  }

  /** What is counted of nodes of its shape. */
  List<Room> rooms() {
    return rooms;
  }

  /** Whether it is empty, its GPUs, CPUs and memory left, in one number that orders by them. */
  private long measure() {
    long all = empty() ? 1 : 0;
    all = all << GPU_BITS | Math.min(left.gpus(), (1L << GPU_BITS) - 1);
    all = all << CPU_BITS | Math.min(left.cpus(), (1L << CPU_BITS) - 1);
    return all << MEBIBYTE_BITS | Math.min(left.memory().bytes() >> 20, (1L << MEBIBYTE_BITS) - 1);
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
    fullness = measure();
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
          fullness = measure();
        });
  }
}

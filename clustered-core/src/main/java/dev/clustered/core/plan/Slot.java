// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.Resources;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

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
  private int holders;
  private boolean ready;
  private long fullness;
  private int[] counted = {};
  private int ofGang;
  private int mostOfGang = Integer.MAX_VALUE;

  /** Its number among the nodes of its backend in topology order; set by {@link Places}. */
  int order;

  Slot(NodeView node, Places places, Place place, List<Room> rooms) {
    this.places = places;
    this.place = place;
    this.rooms = rooms;
    this.node = node;
    this.left = node.free();
    this.gpus = node.freeGpus();
    this.holders = node.holders();
    this.ready = node.ready();
    this.fullness = measure();
  }

  /** What is counted of nodes of its shape. */
  List<Room> rooms() {
    return rooms;
  }

  /** With how many ranks a room counts it. */
  int counted(int room) {
    return room < counted.length ? counted[room] : 0;
  }

  /** A room counts it with so many ranks. */
  void count(int room, int ranks) {
    if (room >= counted.length) {
      counted = Arrays.copyOf(counted, room + 4);
    }
    counted[room] = ranks;
  }

  /** Whether it is empty, its GPUs, CPUs and memory left, in one number that orders by them. */
  private long measure() {
    long all = empty() ? 1 : 0;
    all = all << GPU_BITS | Math.min(left.gpus(), (1L << GPU_BITS) - 1);
    all = all << CPU_BITS | Math.min(left.cpus(), (1L << CPU_BITS) - 1);
    return all << MEBIBYTE_BITS | Math.min(left.memory().bytes() >> 20, (1L << MEBIBYTE_BITS) - 1);
  }

  /** A number that orders nodes as {@link #FULLEST_FIRST} does. */
  long fullness() {
    return fullness;
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
    holders = other.holders();
    ready = other.ready();
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
    return holders == 0 && ready;
  }

  /** Whether all that the shape has is there: a node whose GPUs failed in part is no whole one. */
  private boolean whole() {
    return left.holds(node.shape().resources()) && gpus.size() >= node.shape().resources().gpus();
  }

  /** How many more ranks of one gang find room now, of a need that the node's shape fits. */
  int ranks(Need need) {
    if (!need.admits(node)) {
      return 0;
    }
    if (need.wholeNodes()) {
      return empty() && whole() ? 1 : 0;
    }
    int most = Math.min(need.perNode(), mostOfGang) - ofGang;
    if (most <= 0 || !ready) {
      return 0;
    }
    Resources each = need.takes(node.shape());
    int ranks = Need.fitting(left, each, most);
    return each.gpus() == 0 ? ranks : Math.min(ranks, gpus.size() / each.gpus());
  }

  /** Whether a rank of a need that the node's shape fits finds room now. */
  boolean holds(Need need) {
    return ranks(need) > 0;
  }

  /** How many ranks it has of the gang that is being placed. */
  int ofGang() {
    return ofGang;
  }

  /** How many ranks of the gang that is being placed it may have. */
  int mostOfGang() {
    return mostOfGang;
  }

  /** Says how many ranks it has of the gang that is being placed, and may have at most. */
  void ofGang(int ranks, int most) {
    places.change(
        this,
        () -> {
          ofGang = ranks;
          mostOfGang = most;
        });
  }

  /** Gives a rank its part, or the whole node. */
  Assignment take(Need need, Undo undo) {
    undo.remember(this, left, gpus, holders);
    if (need.wholeNodes()) {
      set(left.minus(left), List.of(), holders + 1);
      return new Assignment(node.id(), node.freeGpus());
    }
    Resources each = need.takes(node.shape());
    Assignment assignment = new Assignment(node.id(), gpus.subList(0, each.gpus()));
    set(left.minus(each), gpus.subList(each.gpus(), gpus.size()), holders + 1);
    return assignment;
  }

  /** Takes the whole node out of the pool. */
  void release(Undo undo) {
    undo.remember(this, left, gpus, holders);
    set(left.minus(left), List.of(), holders + 1);
  }

  /**
   * Takes back what somebody holds of the node, as if it had ended.
   *
   * @param leaves whether it then holds nothing more
   */
  void give(Holding held, boolean leaves, Undo undo) {
    undo.remember(this, left, gpus, holders);
    Resources more = node.shape().resources().minus(node.shape().resources()).plus(left);
    set(more.plus(held.takes()), merged(held.gpus()), leaves ? holders - 1 : holders);
  }

  /** Somebody holds this part, which is free. */
  void hold(Holding held, Undo undo) {
    undo.remember(this, left, gpus, holders);
    List<Integer> rest = new ArrayList<>(gpus);
    rest.removeAll(held.gpus());
    set(left.minus(held.takes()), List.copyOf(rest), holders + 1);
  }

  /** What is held of the node by whomever, if anything is. */
  Optional<Holding> used() {
    Resources all = node.shape().resources();
    if (holders == 0 && left.equals(all)) {
      return Optional.empty();
    }
    List<Integer> held = new ArrayList<>();
    for (int gpu = 0; gpu < all.gpus(); gpu++) {
      if (!gpus.contains(gpu)) {
        held.add(gpu);
      }
    }
    return Optional.of(new Holding(node.id(), all.minus(left), held));
  }

  /** Takes back what all hold of the node; somebody holds the rest unless nobody does. */
  void giveAll(Holding held, boolean nobody, Undo undo) {
    undo.remember(this, left, gpus, holders);
    Resources all = node.shape().resources();
    set(all.minus(all).plus(left).plus(held.takes()), merged(held.gpus()), nobody ? 0 : 1);
  }

  /**
   * Sets something aside that later gangs shall not see.
   *
   * @return what was set aside: no more than there is
   */
  Holding keep(Resources most, Undo undo) {
    Resources kept = Owed.least(left, most);
    undo.remember(this, left, gpus, holders);
    int count = Math.min(kept.gpus(), gpus.size());
    List<Integer> last = gpus.subList(gpus.size() - count, gpus.size());
    set(left.minus(kept), gpus.subList(0, gpus.size() - count), holders + 1);
    return new Holding(node.id(), kept, last);
  }

  /** What this plan has left of the node. */
  Resources left() {
    return left;
  }

  private List<Integer> merged(List<Integer> more) {
    if (more.isEmpty()) {
      return gpus;
    }
    List<Integer> all = new ArrayList<>(gpus);
    all.addAll(more);
    all.sort(null);
    return List.copyOf(all);
  }

  /** Whether this plan has taken something of the node, or given something back. */
  boolean changed() {
    return holders != node.holders() || !left.equals(node.free());
  }

  /** Makes the node as it was before this plan. */
  void putBack(Undo undo) {
    undo.remember(this, left, gpus, holders);
    set(node.free(), node.freeGpus(), node.holders());
  }

  void set(Resources newLeft, List<Integer> newGpus, int newHolders) {
    places.change(
        this,
        () -> {
          left = newLeft;
          gpus = newGpus;
          holders = newHolders;
          fullness = measure();
        });
  }
}

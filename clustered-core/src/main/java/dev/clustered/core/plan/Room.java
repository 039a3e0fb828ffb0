// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.List;
import java.util.function.Predicate;

/**
 * For each place of a backend, how many ranks of one kind its nodes of one shape could take now.
 * What holds too little is passed over by one comparison. Not thread-safe.
 */
final class Room {

  private final String shape;
  private final Predicate<Slot> counts;
  private final int number;
  private int[][] ranks = {};

  /**
   * Counts the nodes of a shape of which this is so.
   *
   * @param number tells it from the other rooms of the shape
   */
  Room(String shape, int number, Predicate<Slot> counts) {
    this.shape = shape;
    this.number = number;
    this.counts = counts;
  }

  /** Whether a node, of any shape, is counted. */
  boolean holds(Slot slot) {
    return slot.node().shape().name().equals(shape) && counts.test(slot);
  }

  /** A node of the shape has changed. */
  void look(Slot slot) {
    boolean now = counts.test(slot);
    if (now != slot.counted.get(number)) {
      slot.counted.set(number, now);
      add(slot.place(), now ? 1 : -1);
    }
  }

  int at(Place place) {
    return ranks[place.depth()][place.ordinal];
  }

  /** The counters of all places of a depth, by their number; not to be changed. */
  int[] at(int depth) {
    return ranks[depth];
  }

  /** Counts anew after the places were numbered anew. */
  void recount(List<List<Place>> byDepth, Iterable<Slot> slots) {
    ranks = new int[byDepth.size()][];
    for (int depth = 0; depth < ranks.length; depth++) {
      ranks[depth] = new int[byDepth.get(depth).size()];
    }
    for (Slot slot : slots) {
      slot.counted.clear(number);
      look(slot);
    }
  }

  private void add(Place innermost, int change) {
    for (Place place = innermost; place != null; place = place.around()) {
      ranks[place.depth()][place.ordinal] += change;
    }
  }
}

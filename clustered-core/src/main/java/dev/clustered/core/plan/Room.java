// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.List;
import java.util.function.Predicate;

/**
 * For each place of a backend, how many ranks of one kind its nodes of one shape could take now.
 * What holds too little is passed over by one comparison. Not thread-safe.
 */
final class Room {

  private final Predicate<Slot> holds;
  private int[][] ranks = {};

  /** Counts the nodes of which this is so. */
  Room(Predicate<Slot> holds) {
    this.holds = holds;
  }

  boolean holds(Slot slot) {
    return holds.test(slot);
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
      if (holds(slot)) {
        add(slot.place(), 1);
      }
    }
  }

  void add(Place innermost, int change) {
    Place place = innermost;
    ranks[place.depth()][place.ordinal] += change;
    while (place.parent().isPresent()) {
      place = place.parent().get();
      ranks[place.depth()][place.ordinal] += change;
    }
  }
}

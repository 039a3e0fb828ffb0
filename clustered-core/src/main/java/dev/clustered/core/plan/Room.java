// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.List;
import java.util.function.ToIntFunction;

/**
 * For each place of a backend, how many ranks of one kind its nodes of one shape could take now.
 * What holds too little is passed over by one comparison. Not thread-safe.
 */
final class Room {

  private final String shape;
  private final ToIntFunction<Slot> counts;
  private final int number;
  private int[][] ranks = {};
  private boolean retired;

  /**
   * Counts so many ranks of each node of a shape.
   *
   * @param number tells it from the other rooms of the shape
   */
  Room(String shape, int number, ToIntFunction<Slot> counts) {
    this.shape = shape;
    this.number = number;
    this.counts = counts;
  }

  /** How many ranks a node, of any shape, is counted with. */
  int on(Slot slot) {
    return slot.node().shape().name().equals(shape) ? slot.counted(number) : 0;
  }

  /** A node of the shape has changed. */
  void look(Slot slot) {
    int now = counts.applyAsInt(slot);
    int before = slot.counted(number);
    if (now != before) {
      slot.count(number, now);
      add(slot.place(), now - before);
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
      slot.count(number, 0);
      look(slot);
    }
  }

  /** It is kept up no more. */
  void retire() {
    retired = true;
  }

  /** Whether it is kept up no more, so that a new one is to be asked for. */
  boolean retired() {
    return retired;
  }

  private void add(Place innermost, int change) {
    for (Place place = innermost; place != null; place = place.around()) {
      ranks[place.depth()][place.ordinal] += change;
    }
  }
}

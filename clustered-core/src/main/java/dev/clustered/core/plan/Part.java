// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Shape;

/**
 * Ranks of one need on nodes of one shape of a backend: how many find room where. Not thread-safe.
 */
final class Part {

  private final Places places;
  private final Shape shape;
  private final Need need;
  private Room room;

  Part(Places places, Shape shape, Need need) {
    this.places = places;
    this.shape = shape;
    this.need = need;
    this.room = places.room(shape, need);
  }

  private Room room() {
    if (room.retired()) {
      room = places.room(shape, need);
    }
    return room;
  }

  Shape shape() {
    return shape;
  }

  Need need() {
    return need;
  }

  /** Ranks of the same gang that have a node each to themselves. */
  Part apart() {
    return need.perNode() == 1 ? this : new Part(places, shape, need.withPerNode(1));
  }

  /** Whether a node is of the shape. */
  boolean suits(Slot slot) {
    return slot.node().shape().name().equals(shape.name());
  }

  /** How many ranks a place could take now. */
  int at(Place place) {
    return room().at(place);
  }

  /** The same of all places of a depth, by their number; not to be changed. */
  int[] at(int depth) {
    return room().at(depth);
  }

  /** How many ranks a node, of any shape, could take now. */
  int on(Slot slot) {
    return room().on(slot);
  }

  /** How many ranks a place could take if nobody held any of it. */
  long usable(Place place) {
    return (long) places.usable(shape, need).at(place) * need.ranks(shape);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.List;
import java.util.Optional;

/**
 * How much room places have for all groups of a gang, and which is the tighter. Not thread-safe.
 */
final class Rooms {

  private final Places places;
  private final Demand demand;
  private final List<Part> parts;
  private final Packing first;

  Rooms(Places places, Demand demand, List<Part> parts, Packing first) {
    this.places = places;
    this.demand = demand;
    this.parts = parts;
    this.first = first;
  }

  /** How many ranks a place could take now, group by group. */
  int at(Place place) {
    int room = 0;
    for (Part part : parts) {
      room += part.at(place);
    }
    return room;
  }

  /**
   * The same of all places of a depth, by their number; not to be changed. Less than nothing where
   * one group alone finds too little room.
   *
   * @param ranks how many are asked for
   */
  int[] at(int depth, int ranks) {
    if (parts.size() == 1) {
      return parts.getFirst().at(depth);
    }
    int[] asked = together(demand.sizes(ranks));
    int[] sums = new int[places.byDepth().get(depth).size()];
    for (int number = 0; number < asked.length; number++) {
      int[] room = parts.get(number).at(depth);
      for (int i = 0; i < sums.length; i++) {
        sums[i] = sums[i] < 0 || room[i] < asked[number] ? -1 : sums[i] + room[i];
      }
    }
    return sums;
  }

  /** For each group, how many ranks it and those that need the same take of the same nodes. */
  private int[] together(int[] sizes) {
    int[] together = new int[parts.size()];
    for (int one = 0; one < together.length; one++) {
      for (int other = 0; other < together.length; other++) {
        if (parts.get(one).need().equals(parts.get(other).need())
            && parts.get(one).shape().equals(parts.get(other).shape())) {
          together[one] += Demand.ranks(demand.groups().get(other), sizes);
        }
      }
    }
    return together;
  }

  /**
   * Whether less is left over in one place than in another; for a part of a node, then whether its
   * node is the fuller; then whether less is left around it.
   */
  boolean tighter(Place place, Place than) {
    int byRoom = Integer.compare(at(place), at(than));
    if (byRoom != 0) {
      return byRoom < 0;
    }
    boolean onePart = demand.most() == 1 && !parts.getFirst().need().wholeNodes();
    int byNode = onePart ? compareNodes(place, than) : 0;
    if (byNode != 0) {
      return byNode < 0;
    }
    Place around = place.around();
    Place aroundOther = than.around();
    while (around != null && aroundOther != null && !around.equals(aroundOther)) {
      int byAround = Integer.compare(at(around), at(aroundOther));
      if (byAround != 0) {
        return byAround < 0;
      }
      around = around.around();
      aroundOther = aroundOther.around();
    }
    return false;
  }

  private int compareNodes(Place place, Place than) {
    Optional<Slot> one = first.best(place);
    Optional<Slot> other = first.best(than);
    return one.isPresent() && other.isPresent()
        ? Slot.FULLEST_FIRST.compare(one.get(), other.get())
        : 0;
  }
}

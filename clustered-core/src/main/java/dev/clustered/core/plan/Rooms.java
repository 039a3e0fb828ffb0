// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * How much room places have for all groups of a gang, and which is the tighter. Not thread-safe.
 */
final class Rooms {

  private final Places places;
  private final Demand demand;
  private final List<Part> parts;
  private final Packing first;

  /** How many ranks of each group there are at the gang's minimum size. */
  private final int[] least;

  /** Whether one part of a node is all that is asked for. */
  private final boolean onePart;

  Rooms(Places places, Demand demand, List<Part> parts, Packing first) {
    this.places = places;
    this.demand = demand;
    this.parts = parts;
    this.first = first;
    int[] sizes = demand.sizes(demand.least());
    this.least = demand.groups().stream().mapToInt(group -> Demand.ranks(group, sizes)).toArray();
    this.onePart = demand.most() == 1 && !parts.getFirst().need().wholeNodes();
  }

  /** How many ranks a place could take now, group by group. */
  int at(Place place) {
    int room = 0;
    for (Part part : parts) {
      room += part.at(place);
    }
    return room;
  }

  /** How many ranks of the first group there are at the gang's minimum size. */
  int leastOfFirst() {
    return least[0];
  }

  /** Whether a place could take the gang at its minimum size if nobody held any of it. */
  boolean couldHoldLeast(Place place) {
    for (int number = 0; number < least.length; number++) {
      if (parts.get(number).usable(place) < least[number]) {
        return false;
      }
    }
    return true;
  }

  /** How many ranks a node takes now, of each need that nodes of its shape are for. */
  int on(Slot slot) {
    int ranks = Integer.MAX_VALUE;
    for (Part part : parts) {
      ranks = part.suits(slot) ? Math.min(ranks, part.on(slot)) : ranks;
    }
    return ranks;
  }

  /** How many more than now a node takes when nobody holds any of it. */
  int taken(Slot slot) {
    int taken = 0;
    for (Part part : parts) {
      if (part.suits(slot)) {
        taken = Math.max(taken, part.need().ranks(part.shape()) - part.on(slot));
      }
    }
    return taken;
  }

  /** How many ranks a place has too little room for now, at the gang's minimum size. */
  int lacking(Place place) {
    int lacking = 0;
    for (int number = 0; number < least.length; number++) {
      lacking += Math.max(0, least[number] - parts.get(number).at(place));
    }
    return lacking;
  }

  /**
   * What a place could take, of all places of a depth, by their number; not to be changed. Less
   * than nothing where one group alone finds too little room.
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
   * The tightest place of a depth that has room for so many ranks, by its number: the one with the
   * least left over; for a part of a node, then the one whose node is the fullest; then the one
   * around which least is left; then the first.
   *
   * @param suits what else is asked of it
   * @return less than nothing when there is none
   */
  int tightest(int depth, int ranks, IntPredicate suits) {
    int[] room = at(depth, ranks);
    int best = -1;
    for (int least = leastFrom(ranks, room);
        best < 0 && least < Integer.MAX_VALUE;
        least = leastFrom(least + 1, room)) {
      best = tightest(depth, room, least, suits);
    }
    return best;
  }

  /** Of the places with so much room. */
  private int tightest(int depth, int[] room, int ranks, IntPredicate suits) {
    if (onePart) {
      return fullest(depth, room, ranks, suits);
    }
    int[] around = places.around(depth);
    int best = -1;
    int passed = -1; // Of those in one place the first is as good as any.
    for (int i = 0; i < room.length; i++) {
      if (room[i] == ranks && around[i] != passed) {
        boolean tighter = best < 0 || compareAround(depth, i, best) < 0;
        passed = around[i];
        if (tighter && suits.test(i)) {
          best = i;
        } else if (tighter) {
          passed = -1;
        }
      }
    }
    return best;
  }

  /** The same for a part of a node. */
  private int fullest(int depth, int[] room, int ranks, IntPredicate suits) {
    int[] around = places.around(depth);
    long[] fullness = places.onlyNodes(depth) ? places.fullness(depth) : fullness(depth, room);
    int best = -1;
    int passed = -1; // Of those as full as the best, no other in this place is tighter.
    for (int i = 0; i < room.length; i++) {
      if (room[i] == ranks && (best < 0 || fullness[i] <= fullness[best])) {
        boolean tighter = best < 0 || fullness[i] < fullness[best];
        if (!tighter && around[i] != around[best] && around[i] != passed) {
          tighter = compareAround(depth, i, best) < 0;
          passed = tighter ? passed : around[i];
        }
        if (tighter && suits.test(i)) {
          best = i;
          passed = -1;
        }
      }
    }
    return best;
  }

  /** How full the node is that a rank would take of each place with room. */
  private long[] fullness(int depth, int[] room) {
    long[] fullness = new long[room.length];
    for (int i = 0; i < room.length; i++) {
      Slot slot = room[i] > 0 ? best(depth, i) : null;
      fullness[i] = slot == null ? 0 : slot.fullness();
    }
    return fullness;
  }

  /** The least of some numbers that is no less than another. */
  private static int leastFrom(int lowest, int[] numbers) {
    int least = Integer.MAX_VALUE;
    for (int number : numbers) {
      if (number >= lowest && number < least) {
        least = number;
      }
    }
    return least;
  }

  /** The same of one place of a depth. */
  private int of(int depth, int ordinal) {
    int room = 0;
    for (int part = 0; part < parts.size(); part++) {
      room += parts.get(part).at(depth)[ordinal];
    }
    return room;
  }

  /**
   * Whether less is left over in one place of a depth than in another; for a part of a node, then
   * whether its node is the fuller; then whether less is left around it.
   */
  boolean tighter(int depth, int one, int than) {
    int order = Integer.compare(of(depth, one), of(depth, than));
    return order == 0 ? compareOthers(depth, one, than) < 0 : order < 0;
  }

  /** Compares two places of a depth that have the same room. */
  private int compareOthers(int depth, int one, int than) {
    int order = onePart ? compareNodes(best(depth, one), best(depth, than)) : 0;
    return order == 0 ? compareAround(depth, one, than) : order;
  }

  /** By what is left around two places of a depth, from the inside out. */
  private int compareAround(int depth, int one, int than) {
    int order = 0;
    int mine = one;
    int its = than;
    for (int outer = depth; order == 0 && outer > 0; outer--) {
      int[] around = places.around(outer);
      mine = around[mine];
      its = around[its];
      if (mine == its) {
        return 0;
      }
      order = Integer.compare(of(outer - 1, mine), of(outer - 1, its));
    }
    return order;
  }

  private static int compareNodes(@Nullable Slot mine, @Nullable Slot its) {
    return mine == null || its == null ? 0 : Slot.FULLEST_FIRST.compare(mine, its);
  }

  private @Nullable Slot best(int depth, int ordinal) {
    Slot only = places.only(depth, ordinal);
    return only == null ? first.best(places.byDepth().get(depth).get(ordinal)) : only;
  }
}

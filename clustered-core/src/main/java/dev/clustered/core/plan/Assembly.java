// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Demand.Group;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Puts the groups of a gang and its spares into one place, one after another; tries other domains
 * for a group when a later one finds no room. What has been taken counts at once, so no node gets
 * more ranks than it may have. Not thread-safe.
 */
final class Assembly {

  /** So often a group is put into a domain before a place is given up. */
  private static final int MOST_TRIES = 1_000;

  private final Places places;
  private final Demand demand;
  private final List<Part> parts;
  private final List<Packing> packings;
  private final Undo undo;
  private final List<Integer> largest;

  private final List<Mark> marks = new ArrayList<>();
  private final List<List<Assignment>> given = new ArrayList<>();
  private final List<Place> homes = new ArrayList<>();
  private List<Integer> order = List.of();
  private int[] sizes = {};
  private int tries;

  /** How many ranks of the gang a node had, and could have. */
  private record Mark(Slot slot, int ofGang, int mostOfGang) {}

  /**
   * What was taken.
   *
   * @param slots the node of each rank and of each spare, in no order
   */
  record Taken(Placement placement, List<Slot> slots) {}

  Assembly(Places places, Demand demand, List<Part> parts, List<Packing> packings, Undo undo) {
    this.places = places;
    this.demand = demand;
    this.parts = parts;
    this.packings = packings;
    this.undo = undo;
    this.largest = largestFirst();
  }

  /** Those that need most first: they find room in the fewest places. */
  private List<Integer> largestFirst() {
    return ordered(
        Comparator.comparing((Integer n) -> parts.get(n).need().rdma().isEmpty())
            .thenComparing(n -> !parts.get(n).need().wholeNodes())
            .thenComparing(
                n -> parts.get(n).need().takes(parts.get(n).shape()),
                Searches.SMALLEST_FIRST.reversed())
            .thenComparing(n -> demand.groups().get(n).required().isEmpty()));
  }

  /** Those first for which a place has the least room to spare. */
  private List<Integer> scarcestFirst(Place place) {
    return ordered(
        Comparator.comparing((Integer n) -> parts.get(n).need().rdma().isEmpty())
            .thenComparingInt(
                n -> parts.get(n).at(place) - Demand.ranks(demand.groups().get(n), sizes)));
  }

  private List<Integer> ordered(Comparator<Integer> comparator) {
    List<Integer> numbers = new ArrayList<>();
    for (int number = 0; number < parts.size(); number++) {
      numbers.add(number);
    }
    numbers.sort(comparator);
    return numbers;
  }

  /**
   * Takes nodes of a place for so many ranks of each role and the spares, or takes nothing. The
   * groups that need most are placed first, and if that fails, those with least room to spare.
   */
  Optional<Taken> take(Place place, int[] ranks) {
    sizes = ranks;
    tries = 0;
    given.clear();
    homes.clear();
    for (int number = 0; number <= parts.size(); number++) {
      given.add(List.of());
      homes.add(place);
    }
    try {
      return all(place, largest) || all(place, scarcestFirst(place))
          ? Optional.of(
              new Taken(
                  demand.placement(given.subList(0, parts.size()), given.getLast(), sizes),
                  marks.stream().map(Mark::slot).toList()))
          : Optional.empty();
    } finally {
      unmark(0);
    }
  }

  private boolean all(Place place, List<Integer> groups) {
    order = groups;
    return next(0, place, place.around(TopologyPath.FABRIC));
  }

  private boolean next(int turn, Place place, Optional<Place> fabric) {
    if (turn == order.size()) {
      return spares();
    }
    int number = order.get(turn);
    Group group = demand.groups().get(number);
    int ranks = Demand.ranks(group, sizes);
    for (Place domain : domains(number, place, fabric)) {
      if (packings.get(number).most(domain, ranks) < ranks) {
        continue;
      }
      if (tries++ == MOST_TRIES) {
        return false;
      }
      int before = undo.mark();
      int marked = marks.size();
      given.set(number, give(parts.get(number).need(), packings.get(number).fill(domain, ranks)));
      homes.set(number, domain);
      Optional<Place> together =
          group.rdma() ? fabric.or(() -> domain.around(TopologyPath.FABRIC)) : fabric;
      if (next(turn + 1, place, together)) {
        return true;
      }
      unmark(marked);
      undo.backTo(before);
    }
    return false;
  }

  /** Where in a place a group may lie, the tightest first. */
  private List<Place> domains(int number, Place place, Optional<Place> fabric) {
    Group group = demand.groups().get(number);
    Place base = place;
    List<String> levels = new ArrayList<>();
    group.required().ifPresent(levels::add);
    if (group.rdma()) {
      levels.add(TopologyPath.FABRIC);
      base = fabric.filter(chosen -> chosen.depth() > place.depth()).orElse(place);
    }
    List<Place> domains = new ArrayList<>();
    collect(base, levels, domains);
    domains.sort(Comparator.comparingInt(parts.get(number)::at));
    return domains;
  }

  private void collect(Place place, List<String> levels, List<Place> domains) {
    if (levels.stream().allMatch(level -> place.around(level).isPresent())) {
      domains.add(place);
    } else {
      places.inside(place).forEach(inner -> collect(inner, levels, domains));
    }
  }

  /** Takes the spares, each on a node without a rank, as near to the first group as there are. */
  private boolean spares() {
    int left = demand.spares();
    if (left == 0) {
      return true;
    }
    Part spare = parts.getFirst().apart();
    Packing packing = new Packing(places, spare, Layout.ANY);
    List<Assignment> taken = new ArrayList<>();
    Place limit = limit(homes.getFirst());
    for (Place at = homes.getFirst(); at != null; at = at.equals(limit) ? null : at.around()) {
      int here = Math.min(left, spare.at(at));
      taken.addAll(give(spare.need(), packing.fill(at, here)));
      left -= here;
    }
    given.set(parts.size(), taken);
    return left == 0;
  }

  /** The outermost place around the first group in which it could lie. */
  private Place limit(Place home) {
    Group group = demand.groups().getFirst();
    List<String> levels = new ArrayList<>(demand.levels());
    group.required().ifPresent(levels::add);
    if (group.rdma()) {
      levels.add(TopologyPath.FABRIC);
    }
    return outermost(home, levels);
  }

  /** The innermost of the domains of some levels and of the zone that a place lies in. */
  static Place outermost(Place place, List<String> levels) {
    Place found = place.around(TopologyPath.ZONE).orElse(place);
    for (String level : levels) {
      Place domain = place.around(level).orElse(found);
      found = domain.depth() > found.depth() ? domain : found;
    }
    return found;
  }

  private List<Assignment> give(Need need, List<Slot> nodes) {
    List<Assignment> taken = new ArrayList<>(nodes.size());
    for (Slot slot : nodes) {
      taken.add(slot.take(need, undo));
      marks.add(new Mark(slot, slot.ofGang(), slot.mostOfGang()));
      slot.ofGang(slot.ofGang() + 1, Math.min(slot.mostOfGang(), need.perNode()));
    }
    return taken;
  }

  private void unmark(int size) {
    while (marks.size() > size) {
      Mark mark = marks.removeLast();
      mark.slot().ofGang(mark.ofGang(), mark.mostOfGang());
    }
  }
}

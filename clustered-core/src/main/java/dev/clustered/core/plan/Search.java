// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds the place for a gang among the nodes of one shape of a backend, and the nodes in it. Not
 * thread-safe.
 */
final class Search {

  private static final Comparator<Slot> BEST_FIT = Slot.FULLEST_FIRST.thenComparing(Slot.BY_PLACE);

  private final Places places;
  private final Room room;
  private final GangRequest gang;
  private final Need need;
  private final Predicate<Place> open;

  /**
   * A search over the room for a gang's need.
   *
   * @param open whether the gang may use a zone
   */
  Search(Places places, Room room, GangRequest gang, Need need, Predicate<Place> open) {
    this.places = places;
    this.room = room;
    this.gang = gang;
    this.need = need;
    this.open = open;
  }

  /**
   * The tightest place that holds the whole gang: of the innermost level at which there is one, the
   * one with least left over, then the one around which least is left, then the first by name.
   */
  Optional<Place> tightest() {
    List<List<Place>> byDepth = places.byDepth();
    for (int depth = byDepth.size() - 1; depth > 0; depth--) {
      Optional<Place> best = tightest(byDepth.get(depth), room.at(depth));
      if (best.isPresent()) {
        return best;
      }
    }
    return Optional.empty();
  }

  private Optional<Place> tightest(List<Place> candidates, int[] ranks) {
    int best = -1;
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= gang.nodes() && (best < 0 || ranks[i] <= ranks[best])) {
        Place place = candidates.get(i);
        boolean better = best < 0 || tighter(place, candidates.get(best));
        if (better && allowed(place) && holdsBlocks(place)) {
          best = i;
        }
      }
    }
    return best < 0 ? Optional.empty() : Optional.of(candidates.get(best));
  }

  private boolean tighter(Place place, Place than) {
    int byRoom = Integer.compare(room.at(place), room.at(than));
    if (byRoom != 0) {
      return byRoom < 0;
    }
    int byNode = gang.nodes() > 1 || need.wholeNodes() ? 0 : compareNodes(place, than);
    if (byNode != 0) {
      return byNode < 0;
    }
    Place around = place.around();
    Place aroundOther = than.around();
    while (around != null && aroundOther != null && !around.equals(aroundOther)) {
      int byAround = Integer.compare(room.at(around), room.at(aroundOther));
      if (byAround != 0) {
        return byAround < 0;
      }
      around = around.around();
      aroundOther = aroundOther.around();
    }
    return false;
  }

  private int compareNodes(Place place, Place than) {
    Optional<Slot> one = best(place);
    Optional<Slot> other = best(than);
    return one.isPresent() && other.isPresent()
        ? Slot.FULLEST_FIRST.compare(one.get(), other.get())
        : 0;
  }

  private Optional<Slot> best(Place place) {
    return place.nodes().values().stream().filter(room::holds).min(BEST_FIT);
  }

  private boolean allowed(Place place) {
    Optional<Place> zone = place.around(TopologyPath.ZONE);
    return zone.filter(open).isPresent()
        && (need.rdma().isEmpty() || place.around(TopologyPath.FABRIC).isPresent())
        && gang.layout().required().map(level -> place.around(level).isPresent()).orElse(true);
  }

  private boolean holdsBlocks(Place place) {
    return gang.layout().blocks().isEmpty() || inBlocks(place, 0) >= gang.nodes();
  }

  /** How many ranks a place holds when the blocks from a number on are kept together in it. */
  private int inBlocks(Place place, int block) {
    List<Layout.Block> blocks = gang.layout().blocks();
    if (block == blocks.size()) {
      return room.at(place);
    }
    Layout.Block wanted = blocks.get(block);
    if (room.at(place) < wanted.ranks()) {
      return 0;
    }
    if (place.around(wanted.level()).isPresent()) {
      int held = inBlocks(place, block + 1);
      return held - held % wanted.ranks();
    }
    int held = 0;
    for (Place inner : places.inside(place)) {
      held += inBlocks(inner, block);
    }
    return held;
  }

  /** The nodes in a place that holds the gang, one for each rank, in topology order. */
  List<Slot> nodes(Place place) {
    List<Slot> taken = new ArrayList<>();
    fill(place, gang.nodes(), 0, taken);
    taken.sort(Slot.BY_PLACE);
    return taken;
  }

  private void fill(Place place, int ranks, int block, List<Slot> taken) {
    List<Place> inner = places.inside(place);
    if (inner.stream().allMatch(Search::host)) {
      fillFromNodes(place, inner, ranks, taken);
      return;
    }
    int next = entered(place, block);
    List<Place> byRoom = new ArrayList<>(inner);
    byRoom.sort(Comparator.comparingInt((Place in) -> inBlocks(in, next)).reversed());
    int left = ranks;
    while (left > 0 && !byRoom.isEmpty() && inBlocks(byRoom.getFirst(), next) > 0) {
      Place chosen = byRoom.remove(smallestThatHolds(byRoom, left, next));
      int here = Math.min(left, inBlocks(chosen, next));
      fill(chosen, here, next, taken);
      left -= here;
    }
    if (left > 0) {
      fillFromNodes(place, List.of(), left, taken);
    }
  }

  /** The place among those sorted by room that holds the rest with least left over; else 0. */
  private int smallestThatHolds(List<Place> byRoom, int ranks, int block) {
    int last = 0;
    while (last + 1 < byRoom.size() && inBlocks(byRoom.get(last + 1), block) >= ranks) {
      last++;
    }
    while (last > 0 && inBlocks(byRoom.get(last - 1), block) == inBlocks(byRoom.get(last), block)) {
      last--;
    }
    return last;
  }

  private static boolean host(Place place) {
    return place.nodes().size() == 1 && place.firstInside == place.endInside;
  }

  /** The first block, from a number on, whose domain a place does not lie in. */
  private int entered(Place place, int block) {
    List<Layout.Block> blocks = gang.layout().blocks();
    int next = block;
    while (next < blocks.size() && place.around(blocks.get(next).level()).isPresent()) {
      next++;
    }
    return next;
  }

  private void fillFromNodes(Place place, List<Place> hosts, int ranks, List<Slot> taken) {
    List<Slot> free = new ArrayList<>();
    place.nodes().values().stream().filter(room::holds).forEach(free::add);
    for (Place host : hosts) {
      host.nodes().values().stream().filter(room::holds).forEach(free::add);
    }
    if (!need.wholeNodes()) {
      free.sort(BEST_FIT);
    }
    taken.addAll(free.subList(0, Math.min(ranks, free.size())));
  }
}

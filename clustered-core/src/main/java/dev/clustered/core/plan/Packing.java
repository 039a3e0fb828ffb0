// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How ranks of one need lie in a place: kept together in blocks, in as few domains as can be, or
 * apart. Not thread-safe.
 */
final class Packing {

  private static final Comparator<Slot> BEST_FIT = Slot.FULLEST_FIRST.thenComparing(Slot.BY_PLACE);

  private final Places places;
  private final Part part;
  private final List<Layout.Block> blocks;
  private final Optional<String> preferred;
  private final Optional<Layout.Spread> spread;

  /** Packs by a layout; its required level is the caller's to keep. */
  Packing(Places places, Part part, Layout layout) {
    this.places = places;
    this.part = part;
    this.blocks = layout.blocks();
    this.preferred = layout.preferred();
    this.spread = layout.spread();
  }

  /** How many ranks a place holds by the layout, of so many that are wanted. */
  int most(Place place, int wanted) {
    Optional<Layout.Spread> even = evenly(place);
    if (even.isPresent() && part.at(place) > 0) {
      return Balance.most(limits(places.domains(place, even.get().level()), 0), wanted);
    }
    return Math.min(wanted, count(place, 0));
  }

  /** The wish for equal domains, in a place that is not inside one of them. */
  private Optional<Layout.Spread> evenly(Place place) {
    return spread.filter(wish -> wish.even() && place.around(wish.level()).isEmpty());
  }

  /** How many ranks a place holds when the blocks from a number on are kept together in it. */
  private int count(Place place, int block) {
    if (block == blocks.size()) {
      return spread.isEmpty() ? part.at(place) : countApart(place, spread.get());
    }
    Layout.Block wanted = blocks.get(block);
    if (part.at(place) < wanted.ranks()) {
      return 0;
    }
    if (place.around(wanted.level()).isPresent()) {
      int held = count(place, block + 1);
      return held - held % wanted.ranks();
    }
    int held = 0;
    for (Place inner : places.inside(place)) {
      held += count(inner, block);
    }
    return held;
  }

  private int countApart(Place place, Layout.Spread wish) {
    int room = part.at(place);
    if (room == 0) {
      return 0;
    }
    if (place.around(wish.level()).isPresent()) {
      return Math.min(room, wish.most());
    }
    int held = 0;
    for (Place inner : places.inside(place)) {
      held += countApart(inner, wish);
    }
    return held;
  }

  private int[] limits(List<Place> domains, int block) {
    int[] limits = new int[domains.size()];
    for (int i = 0; i < limits.length; i++) {
      limits[i] = count(domains.get(i), block);
    }
    return limits;
  }

  /** The node directly in a place that one rank would take; null when it finds no room. */
  @Nullable Slot best(Place place) {
    Slot best = null;
    for (Slot slot : place.nodes().values()) {
      if (part.on(slot) > 0 && (best == null || BEST_FIT.compare(slot, best) < 0)) {
        best = slot;
      }
    }
    return best;
  }

  /** Nodes for ranks that a place holds, one for each rank, in topology order. */
  List<Slot> fill(Place place, int ranks) {
    List<Slot> taken = new ArrayList<>(ranks);
    Optional<Layout.Spread> even = evenly(place);
    if (even.isPresent()) {
      List<Place> domains = places.domains(place, even.get().level());
      int[] shares = Balance.shares(limits(domains, 0), ranks);
      for (int i = 0; i < shares.length; i++) {
        fill(domains.get(i), shares[i], 0, taken);
      }
    } else {
      fill(place, ranks, 0, taken);
    }
    taken.sort(Slot.BY_PLACE);
    return taken;
  }

  private void fill(Place place, int ranks, int block, List<Slot> taken) {
    if (ranks == 0) {
      return;
    }
    int next = entered(place, block);
    Optional<String> across = across(place, next);
    List<Place> inner =
        across.map(level -> places.domains(place, level)).orElseGet(() -> places.inside(place));
    if (across.isEmpty() && free(place, next) && inner.stream().allMatch(Packing::host)) {
      fillFromNodes(nodes(place, inner), ranks, taken);
      return;
    }
    int left = ranks;
    int[] held = limits(inner, next);
    for (int chosen : fewest(held, ranks)) {
      int here = Math.min(left, held[chosen]);
      fill(inner.get(chosen), here, next, taken);
      left -= here;
    }
    if (left > 0) {
      fillFromNodes(
          across.map(level -> outside(place, level)).orElseGet(() -> nodes(place, List.of())),
          left,
          taken);
    }
  }

  /**
   * Which places are used, as few as can be: the largest, until one holds all that is left; then of
   * those that do, the one with least left over.
   */
  private static List<Integer> fewest(int[] held, int ranks) {
    List<Integer> byRoom = new ArrayList<>(held.length);
    for (int i = 0; i < held.length; i++) {
      if (held[i] > 0) {
        byRoom.add(i);
      }
    }
    byRoom.sort(Comparator.comparingInt((Integer i) -> held[i]).reversed());
    List<Integer> used = new ArrayList<>();
    int left = ranks;
    for (int from = 0; left > 0 && from < byRoom.size(); from++) {
      int last = from;
      if (held[byRoom.get(from)] >= left) {
        while (last + 1 < byRoom.size() && held[byRoom.get(last + 1)] >= left) {
          last++;
        }
        while (last > from && held[byRoom.get(last - 1)] == held[byRoom.get(last)]) {
          last--;
        }
      }
      used.add(byRoom.get(last));
      left -= held[byRoom.get(last)];
    }
    return used;
  }

  /** The preferred level, when a place is divided by it next. */
  private Optional<String> across(Place place, int block) {
    if (preferred.isEmpty() || place.around(preferred.get()).isPresent()) {
      return Optional.empty();
    }
    List<Place> domains = places.domains(place, preferred.get());
    return domains.isEmpty() || insideBlock(domains.getFirst(), place, block)
        ? Optional.empty()
        : preferred;
  }

  /** Whether a domain inside a place lies in a smaller domain of the block that comes next. */
  private boolean insideBlock(Place domain, Place place, int block) {
    return block < blocks.size()
        && domain
            .around(blocks.get(block).level())
            .filter(around -> around.depth() > place.depth() && around.depth() < domain.depth())
            .isPresent();
  }

  /** The first block, from a number on, whose domain a place does not lie in. */
  private int entered(Place place, int block) {
    int next = block;
    while (next < blocks.size() && place.around(blocks.get(next).level()).isPresent()) {
      next++;
    }
    return next;
  }

  /** Whether the nodes of a place may be taken in any order. */
  private boolean free(Place place, int block) {
    return block == blocks.size()
        && spread.map(wish -> place.around(wish.level()).isPresent()).orElse(true);
  }

  /** Whether a place is one node and nothing else. */
  static boolean host(Place place) {
    return place.nodes().size() == 1 && place.firstInside == place.endInside;
  }

  private static List<Slot> nodes(Place place, List<Place> hosts) {
    List<Slot> nodes = new ArrayList<>(place.nodes().values());
    for (Place host : hosts) {
      nodes.addAll(host.nodes().values());
    }
    return nodes;
  }

  /** The nodes in a place that lie in no domain of a level. */
  private List<Slot> outside(Place place, String level) {
    List<Slot> nodes = new ArrayList<>(place.nodes().values());
    for (Place inner : places.inside(place)) {
      if (!inner.at(level)) {
        nodes.addAll(outside(inner, level));
      }
    }
    return nodes;
  }

  private void fillFromNodes(List<Slot> nodes, int ranks, List<Slot> taken) {
    List<Slot> free = new ArrayList<>(nodes.size());
    for (Slot slot : nodes) {
      if (part.on(slot) > 0) {
        free.add(slot);
      }
    }
    if (!part.need().wholeNodes()) {
      free.sort(BEST_FIT);
    }
    if (part.need().perNode() == 1) {
      taken.addAll(free.subList(0, Math.min(ranks, free.size())));
      return;
    }
    int left = ranks;
    int[] held = free.stream().mapToInt(part::on).toArray();
    for (int chosen : fewest(held, ranks)) {
      int here = Math.min(left, held[chosen]);
      for (int rank = 0; rank < here; rank++) {
        taken.add(free.get(chosen));
      }
      left -= here;
    }
  }
}

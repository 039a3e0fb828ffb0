// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Layout.Block;
import dev.clustered.core.plan.Layout.Spread;
import dev.clustered.core.plan.Pool.Spot;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Why a layout finds no place although there are nodes enough: which of the things that it asks is
 * the first that fails, from the outside in, and for how much there would be room. Not thread-safe.
 */
final class Fragments {

  private final Pool pool;
  private final Bars bars;

  Fragments(Pool pool, Bars bars) {
    this.pool = pool;
    this.bars = bars;
  }

  /**
   * What a layout asks of one domain, or of many, when no place has it.
   *
   * @param freeInAll for how many ranks there is room in the best zone
   */
  Optional<WaitReason> reason(GangRequest part, int freeInAll) {
    Layout layout = layout(part);
    int asked = part.minimum();
    Optional<WaitReason> required =
        layout
            .required()
            .filter(level -> most(part.need(), level, Spot::free) < asked)
            .map(level -> together(part.need(), asked, level, freeInAll));
    return required
        .or(() -> blocks(part, layout, freeInAll))
        .or(() -> spread(part, layout, freeInAll));
  }

  /** What one domain of a level lacks that must hold so many ranks. */
  WaitReason together(Need need, int asked, String level, int freeInAll) {
    return fragmented(need, asked, 1, level, freeInAll, 0);
  }

  private Optional<WaitReason> blocks(GangRequest part, Layout layout, int freeInAll) {
    for (int inner = 1; inner <= layout.blocks().size(); inner++) {
      List<Block> blocks = layout.blocks().subList(0, inner);
      Found whole = room(part, layout, blocks);
      if (whole.ranks() < part.minimum()) {
        // Either there are too few of these blocks, or too few lie together in those around them.
        Found alone = room(part, layout, List.of(blocks.getLast()));
        boolean few = alone.ranks() < part.minimum();
        Found found = few ? alone : whole;
        Block block = few ? blocks.getLast() : blocks.getFirst();
        return Optional.of(
            fragmented(
                part.need(),
                block.ranks(),
                (part.minimum() + block.ranks() - 1) / block.ranks(),
                block.level(),
                found.spot().map(Spot::free).orElse(freeInAll),
                found.ranks() / block.ranks()));
      }
    }
    return Optional.empty();
  }

  private Found room(GangRequest part, Layout layout, List<Block> blocks) {
    return best(part, layout, spot -> ranks(spot, spot.place(), blocks, Spot::free));
  }

  private Optional<WaitReason> spread(GangRequest part, Layout layout, int freeInAll) {
    return layout
        .spread()
        .flatMap(
            apart -> {
              Found found = best(part, layout, spot -> ranks(spot, apart, Spot::free));
              int domains = found.spot().map(spot -> domains(spot, apart.level())).orElse(0);
              return found.ranks() >= part.minimum()
                  ? Optional.empty()
                  : Optional.of(
                      new WaitReason.NotApart(
                          part.minimum(),
                          apart.most(),
                          apart.even(),
                          apart.level(),
                          domains,
                          found.ranks(),
                          found.spot().map(Spot::free).orElse(freeInAll)));
            });
  }

  private WaitReason fragmented(
      Need need, int asked, int times, String level, int freeInAll, int fitting) {
    Optional<Spot> best = roomiest(need, level, Spot::free);
    if (best.isEmpty()) {
      return new WaitReason.Fragmented(
          asked, times, level, "none", 0, freeInAll, 0, List.of(), fitting);
    }
    Spot spot = best.get();
    Bars.Inside inside =
        bars.inside(need, spot.place() + " " + spot.shape().name(), spot::has, spot.each());
    return new WaitReason.Fragmented(
        asked,
        times,
        level,
        spot.place().toString(),
        spot.free(),
        freeInAll,
        inside.busy(spot.all(), spot.free()),
        inside.barred(),
        fitting);
  }

  /** What would have to be asked for, when no place would do even if nobody held anything. */
  Optional<String> never(GangRequest part) {
    Layout layout = layout(part);
    Need need = part.need();
    int asked = part.minimum();
    Optional<String> required =
        layout
            .required()
            .filter(level -> most(need, level, Spot::all) < asked)
            .map(level -> tooSmall(level, most(need, level, Spot::all), asked, "nodes"));
    if (required.isPresent()) {
      return required;
    }
    for (int inner = 1; inner <= layout.blocks().size(); inner++) {
      List<Block> blocks = layout.blocks().subList(0, inner);
      Block last = blocks.getLast();
      int ranks = best(part, layout, spot -> ranks(spot, spot.place(), blocks, Spot::all)).ranks();
      int largest = most(need, last.level(), Spot::all);
      if (ranks < asked) {
        return Optional.of(
            largest < last.ranks()
                ? tooSmall(last.level(), largest, last.ranks(), "nodes in a block")
                : "there is room for %d of %d blocks of %d nodes in one %s; ask for so many or fewer blocks, or for smaller ones"
                    .formatted(
                        ranks / last.ranks(), asked / last.ranks(), last.ranks(), last.level()));
      }
    }
    return layout
        .spread()
        .map(
            apart -> {
              int ranks = best(part, layout, spot -> ranks(spot, apart, Spot::all)).ranks();
              return "there is room for %d of %d nodes so; ask for so many or fewer nodes, or allow more in one %s"
                  .formatted(ranks, asked, apart.level());
            })
        .filter(
            text ->
                best(part, layout, s -> ranks(s, layout.spread().get(), Spot::all)).ranks()
                    < asked);
  }

  private static String tooSmall(String level, int has, int asked, String what) {
    return "the largest %s has %d of the %d nodes that must be together; ask for so many or fewer %s, or for a level further out"
        .formatted(level, has, asked, what);
  }

  private static Layout layout(GangRequest part) {
    return part.layout().with(part.roles().getFirst().layout());
  }

  // ---- how much there is room for

  /** Where there is room for most ranks of a gang, of the domains of which one must hold it. */
  private record Found(Optional<Spot> spot, int ranks) {}

  private Found best(GangRequest part, Layout layout, ToIntFunction<Spot> ranks) {
    String zone = part.rdma().isPresent() ? TopologyPath.FABRIC : TopologyPath.ZONE;
    Found best = new Found(Optional.empty(), 0);
    for (Spot spot : pool.spots(part.need(), layout.required().orElse(zone))) {
      int found = ranks.applyAsInt(spot);
      if (best.spot().isEmpty() || found > best.ranks()) {
        best = new Found(Optional.of(spot), found);
      }
    }
    return best;
  }

  private int most(Need need, String level, ToIntFunction<Spot> ranks) {
    return roomiest(need, level, ranks).map(ranks::applyAsInt).orElse(0);
  }

  /** The domain of a level with the most room, then with the most nodes, then the first by name. */
  private Optional<Spot> roomiest(Need need, String level, ToIntFunction<Spot> ranks) {
    Comparator<Spot> order = Comparator.comparingInt(ranks).thenComparingInt(Spot::all);
    Optional<Spot> best = Optional.empty();
    for (Spot spot : pool.spots(need, level)) {
      if (best.isEmpty() || order.compare(spot, best.get()) > 0) {
        best = Optional.of(spot);
      }
    }
    return best;
  }

  /** How many ranks find room in whole blocks, each inside one of the block around it. */
  private static int ranks(
      Spot spot, Place place, List<Block> blocks, ToIntFunction<Spot> countOf) {
    if (blocks.isEmpty()) {
      return countOf.applyAsInt(at(spot, place));
    }
    Block block = blocks.getFirst();
    List<Block> inside = blocks.subList(1, blocks.size());
    int sum = 0;
    for (Place domain : spot.places().domains(place, block.level())) {
      int ranks = ranks(spot, domain, inside, countOf);
      sum += ranks - ranks % block.ranks();
    }
    return sum;
  }

  /** How many ranks find room apart. */
  private static int ranks(Spot spot, Spread spread, ToIntFunction<Spot> countOf) {
    int[] rooms =
        spot.places().domains(spot.place(), spread.level()).stream()
            .mapToInt(domain -> Math.min(spread.most(), countOf.applyAsInt(at(spot, domain))))
            .filter(room -> room > 0)
            .sorted()
            .toArray();
    int sum = 0;
    int even = 0;
    for (int i = rooms.length - 1; i >= 0; i--) {
      sum += rooms[i];
      even = Math.max(even, evenly(rooms, i));
    }
    return spread.even() ? even : sum;
  }

  /** How many ranks find room in the last domains from one on, none with two more than another. */
  private static int evenly(int[] rooms, int from) {
    int ranks = 0;
    for (int i = from; i < rooms.length; i++) {
      ranks += Math.min(rooms[i], rooms[from] + 1);
    }
    return ranks;
  }

  private static int domains(Spot spot, String level) {
    return (int)
        spot.places().domains(spot.place(), level).stream()
            .filter(domain -> spot.room().at(domain) > 0)
            .count();
  }

  private static Spot at(Spot spot, Place place) {
    return new Spot(spot.places(), spot.shape(), place, spot.room(), spot.usable(), spot.each());
  }
}

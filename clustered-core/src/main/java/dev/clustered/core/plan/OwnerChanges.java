// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Change;
import dev.clustered.model.StartChange;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The changes that the owner of a gang can make, each tried. */
final class OwnerChanges {

  private static final Duration SHORTEST = Duration.ofMinutes(1);

  /** How many smaller sizes of a block are tried. */
  private static final int MOST_BLOCKS = 8;

  private final Snapshot snapshot;
  private final GangRequest gang;
  private final Trials trials;

  OwnerChanges(Snapshot snapshot, GangRequest gang, Trials trials) {
    this.snapshot = snapshot;
    this.gang = gang;
    this.trials = trials;
  }

  /**
   * All of them, the cheapest first; none is tried before it is asked for.
   *
   * @param plan for the snapshot as it is
   */
  List<Supplier<Optional<StartChange>>> from(Plan plan) {
    SizeChanges size = new SizeChanges(snapshot, gang, trials);
    List<Supplier<Optional<StartChange>>> all = new ArrayList<>();
    all.addAll(
        List.of(
            () -> timeLimit(plan),
            new OtherQueue(snapshot, gang, trials)::find,
            size::fewerSpares,
            this::outerLevel,
            this::preferredLevel,
            this::smallerBlocks,
            this::noBlocks,
            size::smaller,
            this::widerSpread,
            this::noSpread,
            this::noLayout));
    all.addAll(new NeedChanges(snapshot, gang, trials).all());
    all.addAll(List.of(this::priority, size::fewNodes));
    return all;
  }

  private Optional<Snapshot> with(GangRequest other) {
    return Optional.of(snapshot.withWaiting(other));
  }

  // ---- terms

  /** Others start at known times: whoever ends before may have what is kept for them. */
  private Optional<StartChange> timeLimit(Plan plan) {
    TreeSet<Duration> limits = new TreeSet<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Wait wait) {
        wait.expectedStart()
            .map(start -> Duration.between(snapshot.now(), start))
            .filter(limit -> limit.compareTo(SHORTEST) >= 0)
            .filter(this::shorter)
            .ifPresent(limits::add);
      }
    }
    List<Duration> sorted = List.copyOf(limits);
    return trials.most(
        0,
        sorted.size() - 1,
        i -> new Change.TimeLimit(sorted.get(i)),
        i -> with(gang.withTerms(gang.terms().withTimeLimit(sorted.get(i)))));
  }

  private boolean shorter(Duration limit) {
    return gang.terms().timeLimit().filter(now -> now.compareTo(limit) <= 0).isEmpty();
  }

  private Optional<StartChange> priority() {
    TreeSet<Integer> above = new TreeSet<>();
    Stream.concat(
            snapshot.waiting().stream(), snapshot.running().stream().map(RunningGang::request))
        .map(GangRequest::priority)
        .filter(other -> other >= gang.priority() && other < Integer.MAX_VALUE)
        .forEach(other -> above.add(other + 1));
    List<Integer> sorted = List.copyOf(above);
    return trials.least(
        0,
        sorted.size() - 1,
        i -> new Change.Priority(gang.priority(), sorted.get(i)),
        i -> with(gang.withPriority(sorted.get(i))));
  }

  // ---- layout

  /** The gang with all its layouts otherwise; empty when that is no change. */
  private Optional<Snapshot> layouts(UnaryOperator<Layout> change) {
    UnaryOperator<Role> role = r -> r.withLayout(change.apply(r.layout()));
    GangRequest other = gang.withEachRole(role).withLayout(change.apply(gang.layout()));
    return other.equals(gang) ? Optional.empty() : with(other);
  }

  private List<Layout> layouts() {
    List<Layout> layouts = new ArrayList<>(List.of(gang.layout()));
    gang.roles().forEach(role -> layouts.add(role.layout()));
    return layouts;
  }

  private List<String> required() {
    return layouts().stream().flatMap(l -> l.required().stream()).distinct().toList();
  }

  private Optional<StartChange> outerLevel() {
    for (String asked : required()) {
      Optional<StartChange> found =
          trials.first(
              around(asked),
              outer -> new Change.OuterLevel(asked, outer),
              outer ->
                  layouts(
                      l ->
                          l.required().filter(asked::equals).isPresent()
                              ? l.withRequired(outer)
                              : l));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** The levels around a level and inside a zone, innermost first. */
  private List<String> around(String level) {
    Map<String, Integer> depths = new TreeMap<>();
    for (NodeView node : snapshot.nodes()) {
      List<TopologyPath.Level> levels = node.topology().levels();
      for (int i = 0; i < levels.size(); i++) {
        depths.merge(levels.get(i).name(), i, Math::max);
      }
    }
    int zone = depths.getOrDefault(TopologyPath.ZONE, -1);
    int inside = depths.getOrDefault(level, zone);
    return depths.entrySet().stream()
        .filter(entry -> entry.getValue() > zone && entry.getValue() < inside)
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .toList();
  }

  private Optional<StartChange> preferredLevel() {
    return trials.first(
        required(),
        Change.PreferredLevel::new,
        level ->
            layouts(
                l ->
                    l.required().filter(level::equals).isPresent()
                        ? new Layout(Optional.empty(), Optional.of(level), l.blocks(), l.spread())
                        : l));
  }

  private List<Layout.Spread> spreads() {
    return layouts().stream().flatMap(l -> l.spread().stream()).distinct().toList();
  }

  private Optional<StartChange> widerSpread() {
    for (Layout.Spread spread : spreads()) {
      if (spread.most() < gang.nodes()) {
        Optional<StartChange> found =
            trials.least(
                spread.most() + 1,
                gang.nodes(),
                most -> new Change.WiderSpread(spread.level(), spread.most(), most),
                most ->
                    layouts(
                        l ->
                            spread(
                                l,
                                spread,
                                Optional.of(
                                    new Layout.Spread(spread.level(), most, spread.even())))));
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static Layout spread(Layout layout, Layout.Spread before, Optional<Layout.Spread> after) {
    return layout.spread().filter(before::equals).isPresent()
        ? new Layout(layout.required(), layout.preferred(), layout.blocks(), after)
        : layout;
  }

  private Optional<StartChange> noSpread() {
    return trials.first(
        spreads(),
        spread -> new Change.NoSpread(spread.level()),
        spread -> layouts(layout -> spread(layout, spread, Optional.empty())));
  }

  private List<Layout.Block> blocks() {
    return layouts().stream().flatMap(layout -> layout.blocks().stream()).distinct().toList();
  }

  private Optional<StartChange> smallerBlocks() {
    for (Layout.Block block : blocks()) {
      Optional<StartChange> found =
          trials.first(
              smaller(block),
              ranks -> new Change.SmallerBlocks(block.level(), block.ranks(), ranks),
              ranks ->
                  layouts(
                      l -> blocks(l, block, Optional.of(new Layout.Block(block.level(), ranks)))));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** The sizes of 2 or more that divide whatever the block divides, the largest first. */
  private List<Integer> smaller(Layout.Block block) {
    return IntStream.iterate(block.ranks() - 1, ranks -> ranks > 1, ranks -> ranks - 1)
        .filter(ranks -> divides(block, ranks))
        .limit(MOST_BLOCKS)
        .boxed()
        .toList();
  }

  private boolean divides(Layout.Block block, int ranks) {
    for (GangRequest way : gang.ways()) {
      boolean whole =
          divides(way.layout(), block, ranks, way.nodes(), way.minimum())
              && way.roles().stream()
                  .allMatch(r -> divides(r.layout(), block, ranks, r.nodes(), r.minimum()));
      if (!whole) {
        return false;
      }
    }
    return true;
  }

  private static boolean divides(
      Layout layout, Layout.Block block, int ranks, int nodes, int minimum) {
    int at = layout.blocks().indexOf(block);
    return at < 0
        || (nodes % ranks == 0
            && minimum % ranks == 0
            && (at == 0 || layout.blocks().get(at - 1).ranks() % ranks == 0)
            && (at + 1 == layout.blocks().size()
                || ranks % layout.blocks().get(at + 1).ranks() == 0));
  }

  private static Layout blocks(Layout layout, Layout.Block before, Optional<Layout.Block> after) {
    List<Layout.Block> blocks = new ArrayList<>();
    for (Layout.Block block : layout.blocks()) {
      (block.equals(before) ? after : Optional.of(block)).ifPresent(blocks::add);
    }
    return new Layout(layout.required(), layout.preferred(), blocks, layout.spread());
  }

  private Optional<StartChange> noBlocks() {
    return trials.first(
        blocks(),
        block -> new Change.NoBlocks(block.level(), block.ranks()),
        block -> layouts(layout -> blocks(layout, block, Optional.empty())));
  }

  private Optional<StartChange> noLayout() {
    return layouts(layout -> Layout.ANY).flatMap(s -> trials.with(new Change.NoLayout(), s));
  }
}

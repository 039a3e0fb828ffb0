// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Demand.Group;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Finds the place for a gang in one backend, on nodes of one shape for each of its needs, and takes
 * the nodes in it. Sees what is free now, so it may be asked again and again while that changes.
 * Not thread-safe.
 */
final class Search {

  private final Places places;
  private final Demand demand;
  private final List<Part> parts = new ArrayList<>();
  private final List<Packing> packings = new ArrayList<>();
  private final Allowed allowed;
  private final Undo undo;
  private final Assembly assembly;
  private final Rooms rooms;
  private final boolean counted;

  /** A place, and with how many ranks the gang would start in it. */
  record Fit(Place place, int ranks) {}

  /**
   * A search for one choice of shapes.
   *
   * @param shapes the shape of each group of the demand
   * @param open where the gang may go
   * @param undo where what is taken is kept
   */
  Search(Places places, Demand demand, List<Shape> shapes, Predicate<Site> open, Undo undo) {
    this.places = places;
    this.demand = demand;
    this.allowed = new Allowed(places.backend(), shapes, demand.levels(), open);
    this.undo = undo;
    for (int number = 0; number < shapes.size(); number++) {
      Group group = demand.groups().get(number);
      Part part = new Part(places, shapes.get(number), group.need());
      parts.add(part);
      packings.add(new Packing(places, part, group.layout()));
    }
    this.rooms = new Rooms(places, demand, parts, packings.getFirst());
    this.assembly = new Assembly(places, demand, parts, packings, undo);
    this.counted =
        parts.size() == 1 && (demand.spares() == 0 || parts.getFirst().need().perNode() == 1);
  }

  /** Searches for another gang of the same kind from now on, which may go elsewhere. */
  void forAnother(Predicate<Site> mayGo) {
    allowed.forAnother(mayGo);
  }

  private boolean allowed(Place place) {
    return allowed.in(place);
  }

  String backend() {
    return places.backend();
  }

  /** Where the nodes of a place in a zone are, those for the first of the gang's needs. */
  Site site(Place place) {
    String zone = place.around(TopologyPath.ZONE).map(Place::value).orElse("");
    return new Site(places.backend(), zone, parts.getFirst().shape().name());
  }

  /** The shapes of the groups, in their order. */
  List<Shape> shapes() {
    return parts.stream().map(Part::shape).toList();
  }

  /** How many ranks more than the gang's a place has room for. */
  int left(Fit fit) {
    return rooms.at(fit.place()) - fit.ranks();
  }

  /**
   * All places in which the gang could lie whole if nobody held any of them, from the outermost
   * inward: those of the required level, with RDMA of a fabric, else of a zone, and all inside.
   */
  List<Place> candidates() {
    List<Place> candidates = new ArrayList<>();
    for (List<Place> depth : places.byDepth()) {
      depth.stream().filter(this::couldLieIn).forEach(candidates::add);
    }
    return candidates;
  }

  /** Whether the gang could lie whole in a place if nobody held any of it. */
  boolean couldLieIn(Place place) {
    return rooms.couldHoldLeast(place) && allowed(place);
  }

  /** The nodes, of whatever shape, when each is a place by itself. */
  List<Slot> hosts() {
    return places.hosts();
  }

  /** Those of them that lie in no other. */
  List<Place> outermost() {
    return candidates().stream()
        .filter(place -> place.around() == null || !allowed(place.around()))
        .toList();
  }

  /** The domains that could hold the whole gang if they were large enough. */
  List<Place> domains() {
    List<Place> domains = new ArrayList<>();
    collectAllowed(places.byDepth().getFirst().getFirst(), domains);
    return domains;
  }

  private void collectAllowed(Place place, List<Place> domains) {
    if (allowed(place)) {
      domains.add(place);
    } else {
      places.inside(place).forEach(inner -> collectAllowed(inner, domains));
    }
  }

  /** How much room places and nodes have for the gang. */
  Rooms rooms() {
    return rooms;
  }

  /** Whether no node holds a second rank of a gang like this, even of another one. */
  boolean oneRankPerNode() {
    return parts.stream()
        .allMatch(
            part ->
                Need.fitting(part.shape().resources(), part.need().takes(part.shape()), 2) == 1);
  }

  /** The nodes in a place, of the shapes of this search, in topology order. */
  List<Slot> nodesIn(Place place) {
    List<Slot> all = new ArrayList<>();
    collect(place, all);
    return all;
  }

  private void collect(Place place, List<Slot> all) {
    for (Slot slot : place.nodes().values()) {
      if (suits(slot)) {
        all.add(slot);
      }
    }
    places.inside(place).forEach(inner -> collect(inner, all));
  }

  /** Whether a node is of a shape of this search. */
  boolean suits(Slot slot) {
    return parts.stream().anyMatch(part -> part.suits(slot));
  }

  /** How many ranks a place lacks now at least for the gang's minimum size and its spares. */
  int missing(Place place) {
    return Math.max(
        rooms.lacking(place), rooms.leastOfFirst() + demand.spares() - roomAround(place));
  }

  /**
   * Where something has to come free next for the gang to lie in a place: there for its ranks, then
   * as far around it as its spares may lie.
   */
  Place wanting(Place place) {
    return rooms.lacking(place) > 0 ? place : around(place);
  }

  /** The outermost place in which the spares of a gang may lie whose ranks lie in a place. */
  Place around(Place place) {
    return demand.spares() == 0 ? place : Assembly.outermost(place, demand.levels());
  }

  /** Whether the gang could be placed now. */
  boolean fits() {
    return tightest(demand.least()).isPresent();
  }

  /** Whether a place holds the gang at its minimum size now. */
  boolean holds(Place place) {
    return allowed(place) && holds(place, demand.least());
  }

  /** The place that the gang would take now: see {@link #fit}. */
  Optional<Place> tightest() {
    return fit().map(Fit::place);
  }

  /**
   * The tightest place that holds the whole gang: of the innermost level at which there is one, the
   * one with least left over, then the one around which least is left, then the first by name. With
   * a preferred level, if no domain of it holds the gang, the place in which it lies in the fewest
   * of them. Where nothing holds an elastic gang at its full size, the place that holds most of it.
   */
  Optional<Fit> fit() {
    Optional<Place> whole = tightest(demand.most());
    return whole.isEmpty() && demand.elastic()
        ? largest()
        : whole.map(place -> new Fit(place, demand.most()));
  }

  private Optional<Place> tightest(int ranks) {
    Optional<String> preferred = demand.preferred();
    for (int depth = places.byDepth().size() - 1; depth > 0; depth--) {
      List<Place> all = places.byDepth().get(depth);
      int best = rooms.tightest(depth, ranks, i -> suits(all.get(i), ranks, preferred));
      if (best >= 0) {
        return Optional.of(all.get(best));
      }
    }
    return preferred.flatMap(level -> acrossFewest(level, ranks));
  }

  private boolean suits(Place place, int ranks, Optional<String> level) {
    return (level.isEmpty() || place.around(level.get()).isPresent())
        && allowed(place)
        && holds(place, ranks);
  }

  /** The place that holds the gang in the fewest domains of a level, of equal ones the tightest. */
  private Optional<Place> acrossFewest(String level, int ranks) {
    Optional<Place> best = Optional.empty();
    int fewest = Integer.MAX_VALUE;
    List<List<Place>> byDepth = places.byDepth();
    for (int depth = byDepth.size() - 1; depth > 0; depth--) {
      int[] room = rooms.at(depth, ranks);
      for (int i = 0; i < room.length; i++) {
        Place place = byDepth.get(depth).get(i);
        if (room[i] >= ranks && allowed(place) && holds(place, ranks)) {
          int domains = domains(place, level, ranks);
          if (domains < fewest || (domains == fewest && tighterThan(best, place))) {
            best = Optional.of(place);
            fewest = domains;
          }
        }
      }
    }
    return best;
  }

  private boolean tighterThan(Optional<Place> best, Place place) {
    return best.filter(
            than ->
                than.depth() == place.depth()
                    && rooms.tighter(place.depth(), place.ordinal, than.ordinal))
        .isPresent();
  }

  /** In how many domains of a level the gang would lie in a place; a node in none is one. */
  private int domains(Place place, String level, int ranks) {
    List<Slot> nodes;
    if (counted) {
      nodes = packings.getFirst().fill(place, ranks);
    } else {
      int mark = undo.mark();
      nodes = assembly.take(place, demand.sizes(ranks)).orElseThrow().slots();
      undo.backTo(mark);
    }
    return (int)
        nodes.stream()
            .map(slot -> slot.place().around(level).map(Object.class::cast).orElse(slot))
            .distinct()
            .count();
  }

  /** The place that holds most of an elastic gang; of equal ones the tightest. */
  private Optional<Fit> largest() {
    Optional<Fit> best = Optional.empty();
    List<List<Place>> byDepth = places.byDepth();
    for (int depth = byDepth.size() - 1; depth > 0; depth--) {
      int[] room = rooms.at(depth, demand.least());
      for (int i = 0; i < room.length; i++) {
        Place place = byDepth.get(depth).get(i);
        int most = best.map(Fit::ranks).orElse(0);
        if (room[i] >= Math.max(demand.least(), most) && allowed(place)) {
          int held = held(place);
          boolean equal = held > 0 && held == most;
          if (held > most || (equal && tighterThan(best.map(Fit::place), place))) {
            best = Optional.of(new Fit(place, held));
          }
        }
      }
    }
    return best;
  }

  /** Whether an allowed place holds the gang at its smallest or at its largest size. */
  private boolean holds(Place place, int ranks) {
    if (counted) {
      return packings.getFirst().most(place, ranks) >= ranks
          && (demand.spares() == 0 || roomAround(place) >= (long) ranks + demand.spares());
    }
    return tried(place, demand.sizes(ranks));
  }

  private int roomAround(Place place) {
    return parts.getFirst().at(Assembly.outermost(place, demand.levels()));
  }

  private boolean tried(Place place, int[] sizes) {
    int mark = undo.mark();
    boolean taken = assembly.take(place, sizes).isPresent();
    undo.backTo(mark);
    return taken;
  }

  /** With how many ranks the gang would start in an allowed place; 0 when it would not. */
  private int held(Place place) {
    return IntStream.of(sizes(place)).sum();
  }

  /** With how many ranks of each role the gang would start in an allowed place; none or all. */
  private int[] sizes(Place place) {
    if (counted) {
      Packing packing = packings.getFirst();
      int held = packing.most(place, demand.most());
      if (demand.spares() > 0) {
        held = packing.most(place, Math.min(held, roomAround(place) - demand.spares()));
      }
      return held < demand.least() ? new int[0] : demand.sizes(held);
    }
    int[] sizes = demand.sizes(demand.most());
    if (tried(place, sizes)) {
      return sizes;
    }
    sizes = demand.sizes(demand.least());
    if (!demand.elastic() || !tried(place, sizes)) {
      return new int[0];
    }
    for (int role = 0; role < sizes.length; role++) {
      grow(place, sizes, role);
    }
    return sizes;
  }

  /** Gives one role as many ranks as find room beside those of the others. */
  private void grow(Place place, int[] sizes, int role) {
    int step = demand.step(role);
    int least = sizes[role];
    int steps = 0;
    int tooMany = (demand.most(role) - least) / step + 1;
    while (steps + 1 < tooMany) {
      int more = steps + (tooMany - steps) / 2;
      sizes[role] = least + more * step;
      if (tried(place, sizes)) {
        steps = more;
      } else {
        tooMany = more;
      }
    }
    sizes[role] = least + steps * step;
  }

  /** Takes the gang's nodes out of a place, if it holds the gang. */
  Optional<Placement> take(Place place) {
    int[] sizes = allowed(place) ? sizes(place) : new int[0];
    if (sizes.length == 0) {
      return Optional.empty();
    }
    if (!counted || demand.spares() > 0) {
      return assembly.take(place, sizes).map(Assembly.Taken::placement);
    }
    Need need = parts.getFirst().need();
    List<Assignment> ranks = new ArrayList<>();
    for (Slot slot : packings.getFirst().fill(place, IntStream.of(sizes).sum())) {
      ranks.add(slot.take(need, undo));
    }
    return Optional.of(demand.placement(List.of(ranks), List.of(), sizes));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The nodes of all backends, and what this plan has left of them. Not thread-safe. */
final class Pool {

  /** The searches of so many kinds are kept, so that those of long ago cost nothing for ever. */
  private static final int MOST_KINDS = 64;

  private final Map<String, Places> backends = new TreeMap<>();
  private final Map<NodeId, Slot> slots = new LinkedHashMap<>();

  /** The same in the order of their identities; none when that is to be found anew. */
  private List<Slot> inOrder = List.of();

  private final Undo undo = new Undo();
  private final Map<Kind, List<Way>> byKind = new LinkedHashMap<>();

  /** Searches for one way of gangs of a kind, which has so many ranks. */
  private record Way(int ranks, List<Search> searches) {}

  /**
   * A domain of the topology, with the nodes of one shape in it.
   *
   * @param room for how many ranks there is room now
   * @param usable how many nodes there are or come that are open to the need
   * @param each how many ranks of the gang an empty one of them holds
   */
  record Spot(Places places, Shape shape, Place place, Room room, Room usable, int each) {

    int free() {
      return room.at(place);
    }

    /** For how many ranks there would be room if nobody held anything. */
    int all() {
      return (int) Math.min(Integer.MAX_VALUE, (long) usable.at(place) * each);
    }

    /** Whether a node is one of these. */
    boolean has(Slot slot) {
      boolean ofShape = slot.node().shape().name().equals(shape.name());
      Place at = ofShape ? slot.place() : null;
      while (at != null && at != place) {
        at = at.around();
      }
      return at != null;
    }
  }

  /** How many nodes of a domain suit a gang. */
  record Count(int free, int busy) {
    static final Count NONE = new Count(0, 0);

    int all() {
      return free + busy;
    }
  }

  /** Adds a node, or takes what has become of one. */
  void put(NodeView node) {
    Slot known = slots.get(node.id());
    if (known != null && !known.node().backend().equals(node.backend())) {
      remove(node.id());
    }
    Slot slot = backends.computeIfAbsent(node.backend(), Places::new).put(node);
    if (slots.put(node.id(), slot) != slot) {
      inOrder = List.of();
      byKind.clear();
    }
  }

  void remove(NodeId node) {
    Slot slot = slots.remove(node);
    if (slot != null) {
      inOrder = List.of();
      byKind.clear();
      Places places = backends.get(slot.node().backend());
      if (places != null) {
        places.remove(node);
      }
    }
  }

  private List<Slot> inOrder() {
    if (inOrder.size() != slots.size()) {
      inOrder =
          slots.values().stream().sorted(Comparator.comparing(slot -> slot.node().id())).toList();
    }
    return inOrder;
  }

  /** Where the changes of a plan stand now. */
  int mark() {
    return undo.mark();
  }

  /** Takes back what was changed since a mark. */
  void backTo(int mark) {
    undo.backTo(mark);
  }

  /** The nodes that were changed since a mark, in order, each as often as it was. */
  List<Slot> changedSince(int mark) {
    return undo.since(mark);
  }

  /** Whether there is room for the whole gang. */
  boolean fits(GangRequest gang, Predicate<Site> open) {
    return searches(gang, open).stream().anyMatch(Search::fits);
  }

  /**
   * Takes nodes for the whole gang, in the first of its ways for which there are enough, out of the
   * best place that has them.
   *
   * @param open where the gang may go
   */
  Optional<Placement> place(GangRequest gang, Predicate<Site> open) {
    for (GangRequest way : gang.ways()) {
      Optional<Placement> placed =
          Searches.take(Searches.of(way, backends.values(), open, undo), way.nodes());
      if (placed.isPresent()) {
        return placed;
      }
    }
    return Optional.empty();
  }

  /** The same for one of many gangs of a kind. */
  Optional<Placement> place(GangRequest gang, Kind kind, Predicate<Site> open) {
    for (Way way : ways(gang, kind)) {
      way.searches().forEach(search -> search.forAnother(open));
      Optional<Placement> placed = Searches.take(way.searches(), way.ranks());
      // They outlive the plan, which must not live on in what it allowed.
      way.searches().forEach(search -> search.forAnother(Pool::nowhere));
      if (placed.isPresent()) {
        return placed;
      }
    }
    return Optional.empty();
  }

  private static boolean nowhere(Site site) {
    return false;
  }

  private List<Way> ways(GangRequest gang, Kind kind) {
    List<Way> ways = byKind.get(kind);
    if (ways == null) {
      if (byKind.size() == MOST_KINDS) {
        byKind.clear();
      }
      ways = new ArrayList<>();
      for (GangRequest way : gang.ways()) {
        List<Search> searches = Searches.of(way, backends.values(), Pool::nowhere, undo);
        ways.add(new Way(way.nodes(), searches));
      }
      byKind.put(kind, ways);
    }
    return ways;
  }

  /**
   * One search for each way of a gang, backend and choice of shapes, best first.
   *
   * @param open where the gang may go
   */
  List<Search> searches(GangRequest gang, Predicate<Site> open) {
    List<Search> searches = new ArrayList<>();
    gang.ways().forEach(w -> searches.addAll(Searches.of(w, backends.values(), open, undo)));
    return searches;
  }

  /** Takes back what somebody holds of a node that there is, but for what is owed of it. */
  void give(Holding held, Owed owed) {
    Holding rest = owed.rest(held);
    give(rest, rest.equals(held));
  }

  /** Takes back what was set aside of a node. */
  void give(Holding aside) {
    give(aside, true);
  }

  /**
   * Takes back what somebody holds of a node.
   *
   * @param leaves whether it then holds nothing more
   */
  void give(Holding held, boolean leaves) {
    Slot slot = slots.get(held.node());
    if (slot != null) {
      slot.give(held, leaves, undo);
    }
  }

  /** Somebody holds a part of a node after all. */
  void holdAgain(Holding held) {
    Slot slot = slots.get(held.node());
    if (slot != null) {
      slot.hold(held, undo);
    }
  }

  /** Takes back everything that is held, but for what is owed. */
  void giveAll(Owed owed) {
    for (Slot slot : inOrder()) {
      slot.used()
          .ifPresent(
              held -> {
                Holding rest = owed.rest(held);
                slot.giveAll(rest, rest.equals(held), undo);
              });
    }
  }

  /** Takes a rank's part of a node, if it has it. */
  Optional<Assignment> take(NodeId node, Need need) {
    return slot(node)
        .filter(slot -> need.fits(slot.node().backend(), slot.node().shape()))
        .filter(slot -> slot.holds(need))
        .map(slot -> slot.take(need, undo));
  }

  /** Takes what was taken once and then taken back. */
  void takeAgain(Placement placement, Need ofSpares) {
    Iterator<Assignment> assignments = placement.assignments().iterator();
    for (Role role : placement.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        take(assignments.next().node(), role.need());
      }
    }
    placement.spares().forEach(spare -> take(spare.node(), ofSpares));
  }

  /** What a placement takes of each node: each rank's part in rank order, then each spare's. */
  List<Holding> holdings(Placement placement, Need ofSpares) {
    List<Holding> holdings = new ArrayList<>();
    Iterator<Assignment> assignments = placement.assignments().iterator();
    for (Role role : placement.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        holdings.add(holding(assignments.next(), role.need()));
      }
    }
    placement.spares().forEach(spare -> holdings.add(holding(spare, ofSpares)));
    return holdings;
  }

  private Holding holding(Assignment assignment, Need need) {
    Resources takes =
        slot(assignment.node()).map(slot -> need.takes(slot.node().shape())).orElse(Resources.NONE);
    return new Holding(assignment.node(), takes, assignment.gpus());
  }

  /** The node of an identity, if there is such a node. */
  Optional<Slot> slot(NodeId node) {
    return Optional.ofNullable(slots.get(node));
  }

  /** Sets a part of a node aside, no more than there is. */
  Holding keep(Slot slot, Resources most) {
    return slot.keep(most, undo);
  }

  /** Takes a whole node out of the pool. */
  void release(Slot slot) {
    slot.release(undo);
  }

  /** Puts back a node that this plan has taken out of the pool. */
  void putBack(Slot slot) {
    slot.putBack(undo);
  }

  /** Gives a rank its part of a node. */
  Assignment take(Slot slot, Need need) {
    return slot.take(need, undo);
  }

  /** For how many ranks there is room in a place, on nodes like one. */
  int room(Slot like, Need need, Place place) {
    Places places = backends.get(like.node().backend());
    return places == null ? 0 : places.room(like.node().shape(), need).at(place);
  }

  /** What suits the gang, by fabric with RDMA and by site without. */
  Map<Domain, Count> counts(GangRequest gang) {
    Need need = gang.need();
    Map<Domain, Count> counts = new TreeMap<>();
    for (Places places : backends.values()) {
      for (Shape shape : places.shapes()) {
        if (need.fits(places.backend(), shape)) {
          count(places, shape, need, counts);
        }
      }
    }
    return counts;
  }

  private static void count(Places places, Shape shape, Need need, Map<Domain, Count> counts) {
    Room room = places.room(shape, need);
    Room usable = places.usable(shape, need);
    int each = need.ranks(shape);
    String level = need.rdma().isPresent() ? TopologyPath.FABRIC : TopologyPath.ZONE;
    for (List<Place> depth : places.byDepth()) {
      for (Place place : depth) {
        if (place.at(level) && usable.at(place) > 0) {
          int all = (int) Math.min(Integer.MAX_VALUE, (long) usable.at(place) * each);
          String zone = place.around(TopologyPath.ZONE).map(Place::value).orElse("");
          Site site = new Site(places.backend(), zone, shape.name());
          int free = room.at(place);
          String fabric = need.rdma().isPresent() ? place.value() : "";
          counts.put(new Domain(site, fabric), new Count(free, Math.max(0, all - free)));
        }
      }
    }
  }

  /** The domains of a level with nodes of each shape that suits a need. */
  List<Spot> spots(Need need, String level) {
    List<Spot> spots = new ArrayList<>();
    for (Places places : backends.values()) {
      for (Shape shape : places.shapes()) {
        if (need.fits(places.backend(), shape)) {
          Room room = places.room(shape, need);
          Room usable = places.usable(shape, need);
          for (List<Place> depth : places.byDepth()) {
            for (Place place : depth) {
              if (place.at(level)) {
                spots.add(new Spot(places, shape, place, room, usable, need.ranks(shape)));
              }
            }
          }
        }
      }
    }
    return spots;
  }

  /** The levels that nodes report, in the order of their names. */
  Set<String> levels() {
    Set<String> levels = new TreeSet<>();
    for (Slot slot : slots.values()) {
      slot.node().topology().levels().forEach(level -> levels.add(level.name()));
    }
    return levels;
  }

  /** Nodes that nobody holds and that this plan gives to nobody. */
  List<Slot> empty() {
    return inOrder().stream().filter(Slot::empty).toList();
  }
}

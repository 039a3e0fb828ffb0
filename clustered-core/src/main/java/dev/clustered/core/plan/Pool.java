// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.NodeId;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The nodes of all backends, and what this plan has left of them. Not thread-safe. */
final class Pool {

  /** The smallest shape first, then the place with least left over. */
  private static final Comparator<Candidate> BEST =
      Comparator.comparingInt((Candidate c) -> c.shape().resources().gpus())
          .thenComparingInt(c -> c.shape().resources().cpus())
          .thenComparing(c -> c.shape().resources().memory())
          .thenComparingInt(Candidate::left)
          .thenComparing(Candidate::backend)
          .thenComparing(c -> c.shape().name());

  private final Map<String, Places> backends = new TreeMap<>();
  private final Map<NodeId, Slot> slots = new TreeMap<>();
  private final Undo undo = new Undo();

  /** The best place among the nodes of one shape of a backend. */
  private record Candidate(Search search, Place place, String backend, Shape shape, int left) {}

  /** A domain and how many ranks it could take. */
  record Roomiest(String name, int free) {}

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
    slots.put(node.id(), backends.computeIfAbsent(node.backend(), Places::new).put(node));
  }

  void remove(NodeId node) {
    Slot slot = slots.remove(node);
    if (slot != null) {
      Places places = backends.get(slot.node().backend());
      if (places != null) {
        places.remove(node);
      }
    }
  }

  /** Where the changes of a plan stand now. */
  int mark() {
    return undo.mark();
  }

  /** Takes back what was changed since a mark. */
  void backTo(int mark) {
    undo.backTo(mark);
  }

  /**
   * Takes nodes for the whole gang out of the tightest place that has them, in rank order.
   *
   * @param open where the gang may go
   */
  Optional<List<Assignment>> place(GangRequest gang, Predicate<Site> open) {
    Need need = gang.need();
    List<Candidate> candidates = new ArrayList<>();
    for (Places places : backends.values()) {
      for (Shape shape : places.shapes()) {
        if (need.fits(places.backend(), shape)) {
          Room room = places.room(shape, need);
          Search search =
              new Search(
                  places,
                  room,
                  gang,
                  need,
                  zone -> open.test(new Site(places.backend(), zone.value(), shape.name())));
          search
              .tightest()
              .map(
                  place ->
                      new Candidate(
                          search, place, places.backend(), shape, room.at(place) - gang.nodes()))
              .ifPresent(candidates::add);
        }
      }
    }
    return candidates.stream()
        .min(BEST)
        .map(
            best ->
                best.search().nodes(best.place()).stream()
                    .map(slot -> slot.take(need, undo))
                    .toList());
  }

  /** Takes a whole node out of the pool. */
  void release(Slot slot) {
    slot.release(undo);
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
    Room usable = places.usable(shape);
    String level = need.rdma().isPresent() ? TopologyPath.FABRIC : TopologyPath.ZONE;
    for (List<Place> depth : places.byDepth()) {
      for (Place place : depth) {
        if (place.at(level) && usable.at(place) > 0) {
          String zone = place.around(TopologyPath.ZONE).map(Place::value).orElse("");
          Site site = new Site(places.backend(), zone, shape.name());
          int free = room.at(place);
          String fabric = need.rdma().isPresent() ? place.value() : "";
          counts.put(new Domain(site, fabric), new Count(free, usable.at(place) - free));
        }
      }
    }
  }

  /** The domain of a level with the most room, the first by name of equal ones. */
  Roomiest roomiest(GangRequest gang, String level) {
    Need need = gang.need();
    Roomiest best = new Roomiest("none", 0);
    for (Places places : backends.values()) {
      for (Shape shape : places.shapes()) {
        if (need.fits(places.backend(), shape)) {
          Room room = places.room(shape, need);
          for (List<Place> depth : places.byDepth()) {
            for (Place place : depth) {
              if (place.at(level) && room.at(place) > best.free()) {
                best = new Roomiest(place.toString(), room.at(place));
              }
            }
          }
        }
      }
    }
    return best;
  }

  /** Nodes that nobody holds and that this plan gives to nobody. */
  List<Slot> empty() {
    return slots.values().stream().filter(Slot::empty).toList();
  }
}

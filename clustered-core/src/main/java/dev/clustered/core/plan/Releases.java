// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Which idle nodes are given back. Not thread-safe. */
final class Releases {

  private static final Comparator<Unit> LONGEST_IDLE_FIRST =
      Comparator.comparing(Unit::since).thenComparing(unit -> unit.slots().getFirst().node().id());

  private final Instant now;
  private final PlanPolicy policy;
  private final Census census;
  private final Pool pool;
  private final Supply supply;
  private final Map<Site.Zone, Integer> given = new TreeMap<>();
  private final Set<Domain> reserved = new TreeSet<>();
  private final Set<NodeId> chosen = new TreeSet<>();
  private final Set<NodeId> promised = new TreeSet<>();
  private final List<Room> rooms = new ArrayList<>();
  private final List<GangRequest> withoutShare = new ArrayList<>();

  /** Nodes that are given back together, and since when none of them is held. */
  private record Unit(List<Slot> slots, Instant since) {}

  /** A gang that waits, and the offers that no earlier gang keeps it from. */
  private record Room(GangRequest gang, List<Offer> offers) {}

  Releases(Instant now, PlanPolicy policy, Census census, Pool pool, Supply supply) {
    this.now = now;
    this.policy = policy;
    this.census = census;
    this.pool = pool;
    this.supply = supply;
  }

  /** Keeps what gangs that wait were promised. */
  void promise(List<GangRequest> waiting) {
    for (GangRequest gang : waiting) {
      gang.claim()
          .filter(claim -> claim.until().isAfter(now))
          .ifPresent(claim -> promised.addAll(claim.nodes()));
    }
  }

  Set<NodeId> chosen() {
    return chosen;
  }

  /** What gangs that wait were promised. */
  Set<NodeId> promised() {
    return promised;
  }

  /** Keeps the nodes of every domain whose own nodes are enough for a gang that waits. */
  void reserve(GangRequest gang) {
    gang.parts().forEach(this::reservePart);
  }

  private void reservePart(GangRequest part) {
    pool.counts(part)
        .forEach(
            (domain, count) -> {
              if (count.all() >= part.least()) {
                reserved.add(domain);
              }
            });
  }

  /** A gang waits for its queue alone: what nobody offers any more is kept for it. */
  void withoutShare(GangRequest gang) {
    withoutShare.add(gang); // Looked at only when something is idle for long enough.
  }

  private void reserveUnoffered(GangRequest part) {
    pool.counts(part)
        .forEach(
            (domain, count) -> {
              if (count.all() >= part.least() && !supply.offers(domain.site())) {
                reserved.add(domain);
              }
            });
  }

  private boolean reserved(NodeView node) {
    Domain domain = Domain.of(node);
    return reserved.contains(domain) || reserved.contains(domain.wholeSite());
  }

  /**
   * Gives idle nodes back when a gang that waits could be launched in their place: as many as are
   * lacking, of the best offer for which there are enough. Never a node that nobody offers any
   * more: a later gang may need it, and it could not be had again. Nothing for a gang that needs
   * several shapes, or that would do with other roles.
   */
  void makeRoom(GangRequest gang, Queue queue) {
    if (!gang.launchable() || gang.parts().size() > 1) {
      return;
    }
    List<Offer> offers =
        supply
            .suiting(gang)
            .filter(queue::open)
            .filter(offer -> supply.coolDown(offer).isEmpty())
            .toList();
    Room room = new Room(gang, offers);
    rooms.add(room);
    make(room);
  }

  private void make(Room room) {
    for (Offer offer : room.offers()) {
      Optional<List<Unit>> enough = enough(room.gang(), offer);
      if (enough.isPresent()) {
        enough.get().forEach(this::release);
        return;
      }
    }
  }

  /**
   * Idle nodes whose end would let the offer hold the gang, none when what ends already does. Units
   * are taken whole, and none that the others make needless.
   */
  private Optional<List<Unit>> enough(GangRequest gang, Offer offer) {
    Site.Zone zone = Site.of(offer).inZone();
    int ending = census.ending(zone) + given.getOrDefault(zone, 0);
    int nodes = gang.need().nodes(offer.shape(), gang.minimum()) + gang.spares();
    int lacking = nodes - supply.available(offer) - ending;
    if (lacking <= 0) {
      return Optional.of(List.of());
    }
    List<Unit> chosenUnits = new ArrayList<>();
    for (Unit unit : units(slot -> slot.node().site().inZone().equals(zone))) {
      if (lacking > 0 && unit.slots().stream().allMatch(s -> supply.offers(s.node().site()))) {
        chosenUnits.add(unit);
        lacking -= unit.slots().size();
      }
    }
    for (int i = chosenUnits.size() - 1; i >= 0; i--) {
      int size = chosenUnits.get(i).slots().size();
      if (lacking + size <= 0) {
        chosenUnits.remove(i);
        lacking += size;
      }
    }
    return lacking > 0 ? Optional.empty() : Optional.of(chosenUnits);
  }

  /** What may be given back, the longest idle first: single nodes, and units of which all may. */
  private List<Unit> units(Predicate<Slot> wanted) {
    List<Unit> units = new ArrayList<>();
    Set<LaunchId> seen = new TreeSet<>();
    for (Slot slot : pool.empty()) {
      NodeView node = slot.node();
      if (!wanted.test(slot) || !unneeded(node)) {
        continue;
      }
      if (!node.unit()) {
        units.add(new Unit(List.of(slot), idleSince(node)));
      } else if (seen.add(node.launch())) {
        whole(node.launch()).ifPresent(units::add);
      }
    }
    units.sort(LONGEST_IDLE_FIRST);
    return units;
  }

  /** All that is there of a launch; empty when somebody has or is about to get a part of it. */
  private Optional<Unit> whole(LaunchId launch) {
    List<Slot> slots = new ArrayList<>();
    Instant since = Instant.MIN;
    for (NodeId id : census.ofLaunch(launch)) {
      Optional<Slot> found = pool.slot(id);
      if (found.isEmpty()) {
        continue;
      }
      NodeView node = found.get().node();
      switch (node.health()) {
        case CORDONED -> {} // It is on its way out already.
        case LOST, FAULTY -> {
          if (node.holders() > 0 || !unneeded(node)) {
            return Optional.empty();
          }
          slots.add(found.get());
        }
        case BOOTING, READY -> {
          if (!found.get().empty() || !unneeded(node)) {
            return Optional.empty();
          }
          slots.add(found.get());
          since = idleSince(node).isAfter(since) ? idleSince(node) : since;
        }
      }
    }
    return Optional.of(new Unit(slots, since));
  }

  private static Instant idleSince(NodeView node) {
    return node.idleSince().orElse(Instant.MAX);
  }

  /** Whether nobody has, was promised or waits for a node. */
  private boolean unneeded(NodeView node) {
    return !reserved(node) && !promised.contains(node.id()) && !census.losses().holds(node.id());
  }

  private void release(Unit unit) {
    unit.slots().forEach(this::release);
  }

  private void release(Slot slot) {
    pool.release(slot);
    chosen.add(slot.node().id());
    given.merge(slot.node().site().inZone(), 1, Integer::sum);
  }

  /**
   * Gives back what a launch brought that did not bring all in its time, as far as nobody has it.
   */
  void refund(List<Slot> slots) {
    for (Slot slot : slots) {
      NodeView node = slot.node();
      boolean nobodys = node.holders() == 0 && !census.losses().holds(node.id());
      if (nobodys && node.health() != NodeHealth.CORDONED) {
        release(slot);
      }
    }
  }

  /**
   * Gives back what has been idle for as long as the policy says and is kept for nobody. What that
   * frees may let more room be made, now rather than with the next plan.
   */
  void idle() {
    if (census.longestIdle().filter(this::longEnough).isPresent()) {
      withoutShare.stream().flatMap(g -> g.parts().stream()).forEach(this::reserveUnoffered);
      units(slot -> idleLongEnough(slot.node())).stream()
          .filter(unit -> longEnough(unit.since()))
          .forEach(this::release);
    }
    int before;
    do {
      before = chosen.size();
      rooms.forEach(this::make);
    } while (chosen.size() > before);
  }

  private boolean idleLongEnough(NodeView node) {
    return node.idleSince().filter(this::longEnough).isPresent();
  }

  private boolean longEnough(Instant since) {
    return Duration.between(since, now).compareTo(policy.idleNodeTime()) >= 0;
  }
}

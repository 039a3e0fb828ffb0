// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

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

/** Which idle nodes are given back. Not thread-safe. */
final class Releases {

  private static final Comparator<Slot> LONGEST_IDLE_FIRST =
      Comparator.comparing((Slot slot) -> slot.node().idleSince().orElse(Instant.MAX))
          .thenComparing(slot -> slot.node().id());

  private final Instant now;
  private final PlanPolicy policy;
  private final Census census;
  private final Pool pool;
  private final Supply supply;
  private final Map<Site.Zone, Integer> given = new TreeMap<>();
  private final Set<Domain> reserved = new TreeSet<>();
  private final Set<NodeId> chosen = new TreeSet<>();
  private final List<Room> rooms = new ArrayList<>();

  /** A gang that waits, and the offers that no earlier gang keeps it from. */
  private record Room(GangRequest gang, List<Offer> offers) {}

  Releases(Instant now, PlanPolicy policy, Census census, Pool pool, Supply supply) {
    this.now = now;
    this.policy = policy;
    this.census = census;
    this.pool = pool;
    this.supply = supply;
  }

  Set<NodeId> chosen() {
    return chosen;
  }

  /** Keeps the nodes of every domain whose own nodes are enough for a gang that waits. */
  void reserve(GangRequest gang) {
    pool.counts(gang)
        .forEach(
            (domain, count) -> {
              if (count.all() >= gang.nodes()) {
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
   * more: a later gang may need it, and it could not be had again.
   */
  void makeRoom(GangRequest gang, Queue queue) {
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
      Optional<List<Slot>> enough = enough(room.gang(), offer);
      if (enough.isPresent()) {
        enough.get().forEach(this::release);
        return;
      }
    }
  }

  /** Idle nodes whose end would let the offer hold the gang, none when what ends already does. */
  private Optional<List<Slot>> enough(GangRequest gang, Offer offer) {
    Site.Zone zone = Site.of(offer).inZone();
    int ending = census.ending(zone) + given.getOrDefault(zone, 0);
    int lacking = gang.nodes() - supply.available(offer) - ending;
    List<Slot> idle =
        pool.empty().stream()
            .filter(slot -> slot.node().site().inZone().equals(zone))
            .filter(slot -> !reserved(slot.node()) && supply.offers(slot.node().site()))
            .sorted(LONGEST_IDLE_FIRST)
            .toList();
    return lacking > idle.size()
        ? Optional.empty()
        : Optional.of(idle.subList(0, Math.max(0, lacking)));
  }

  private void release(Slot slot) {
    pool.release(slot);
    chosen.add(slot.node().id());
    given.merge(slot.node().site().inZone(), 1, Integer::sum);
  }

  /**
   * Gives back what has been idle for as long as the policy says and is kept for nobody. What that
   * frees may let more room be made, now rather than with the next plan.
   */
  void idle() {
    if (census.longestIdle().filter(this::longEnough).isPresent()) {
      for (Slot slot : pool.empty()) {
        if (idleLongEnough(slot.node()) && !reserved(slot.node())) {
          release(slot);
        }
      }
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

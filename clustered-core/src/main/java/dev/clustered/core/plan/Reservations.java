// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * What is kept for gangs that wait: later ones do not see it, unless they end before it is needed.
 * Not thread-safe.
 */
final class Reservations {

  private final Instant now;
  private final Pool pool;
  private final List<Reservation> all = new ArrayList<>();
  private final Map<Site, Integer> bySite = new TreeMap<>();
  private final Map<NodeId, List<Kept>> byNode = new TreeMap<>();
  private final Owed owed = new Owed();
  private final List<NodeId> owedAnew = new ArrayList<>();

  /** What the nodes had left when something kept was shown last. */
  private final Map<NodeId, Resources> shown = new TreeMap<>();

  /** What is kept for one gang. */
  static final class Reservation {
    private final ClusterId gang;
    private final Optional<Instant> start;
    private final Map<NodeId, Kept> kept = new TreeMap<>();

    private Reservation(ClusterId gang, Optional<Instant> start) {
      this.gang = gang;
      this.start = start;
    }

    ClusterId gang() {
      return gang;
    }

    /** When the gang needs it; empty when that is not known. */
    Optional<Instant> start() {
      return start;
    }
  }

  /** A part of one node: what is free of it now, and what is to come free. */
  private static final class Kept {
    final Slot slot;
    Resources owed;
    Holding aside;

    Kept(Slot slot, Resources owed, Holding aside) {
      this.slot = slot;
      this.owed = owed;
      this.aside = aside;
    }

    boolean nothingAside() {
      return Owed.nothing(aside.takes());
    }
  }

  Reservations(Instant now, Pool pool) {
    this.now = now;
    this.pool = pool;
  }

  /** How many gangs that wait longest have something kept among the nodes of a site. */
  int at(Site site) {
    return bySite.getOrDefault(site, 0);
  }

  /** What of some sites is free but kept, if anything is. */
  Optional<WaitReason.Kept> keptAt(Set<Site> sites) {
    int nodes = 0;
    Optional<Reservation> first = Optional.empty();
    for (Reservation reservation : all) {
      for (Kept kept : reservation.kept.values()) {
        if (!kept.nothingAside() && sites.contains(kept.slot.node().site())) {
          nodes++;
          first = first.or(() -> Optional.of(reservation));
        }
      }
    }
    int count = nodes;
    return first.map(of -> new WaitReason.Kept(count, of.gang, of.start));
  }

  /** The nodes of which something is free but kept. */
  Set<NodeId> keptNodes() {
    Set<NodeId> nodes = new TreeSet<>();
    byNode.forEach(
        (node, parts) -> {
          if (!parts.stream().allMatch(Kept::nothingAside)) {
            nodes.add(node);
          }
        });
    return nodes;
  }

  /** What is promised of nodes in use; not to be changed. */
  Owed owed() {
    return owed;
  }

  /** The nodes of which more or less has been promised, in the order in which that was. */
  List<NodeId> owedAnew() {
    return owedAnew;
  }

  private void owes(NodeId node) {
    owed.put(
        node,
        byNode.getOrDefault(node, List.of()).stream()
            .map(kept -> kept.owed)
            .reduce(Resources.NONE, Resources::plus));
    owedAnew.add(node);
  }

  /**
   * Keeps for a gang what it would take of a later pool.
   *
   * @param taken the pool as it is then, with the gang's part taken, and what it took by node
   */
  Reservation keep(ClusterId gang, Optional<Instant> start, Map<NodeId, Taken> taken) {
    Reservation reservation = new Reservation(gang, start);
    taken.forEach(
        (node, part) ->
            pool.slot(node)
                .ifPresent(
                    slot -> {
                      Resources aside =
                          Owed.least(Owed.beyond(slot.left(), part.leftThen()), slot.left());
                      Resources rest = Owed.beyond(part.amount(), aside);
                      Kept kept = new Kept(slot, rest, setAside(slot, aside));
                      reservation.kept.put(node, kept);
                      byNode.computeIfAbsent(node, n -> new ArrayList<>()).add(kept);
                      owes(node);
                    }));
    all.add(reservation);
    return reservation;
  }

  /** Counts a gang among those that have something kept because they have waited longest. */
  void count(Set<Site> sites) {
    sites.forEach(site -> bySite.merge(site, 1, Integer::sum));
  }

  /**
   * A part of a node at a later time.
   *
   * @param amount what the gang takes of it
   * @param leftThen what is left of it then
   */
  record Taken(Resources amount, Resources leftThen) {}

  private Holding setAside(Slot slot, Resources amount) {
    return Owed.nothing(amount)
        ? new Holding(slot.node().id(), amount, List.of())
        : pool.keep(slot, amount);
  }

  /** Those that a gang with a time limit leaves alone by ending before they start. */
  List<Reservation> notDelayedBy(Optional<Duration> limit) {
    List<Reservation> later = new ArrayList<>();
    if (limit.isPresent()) {
      Instant end = now.plus(limit.get());
      for (Reservation reservation : all) {
        if (reservation.start.filter(start -> !end.isAfter(start)).isPresent()) {
          later.add(reservation);
        }
      }
    }
    return later;
  }

  /** For whom these are. */
  static List<ClusterId> gangs(List<Reservation> some) {
    return some.isEmpty() ? List.of() : some.stream().map(Reservation::gang).toList();
  }

  /** Shows again what is kept. */
  void lift(List<Reservation> some) {
    for (Reservation reservation : some) {
      for (Kept kept : reservation.kept.values()) {
        if (!kept.nothingAside()) {
          pool.give(kept.aside);
        }
      }
    }
    shown.clear();
    for (Reservation reservation : some) {
      reservation.kept.forEach((node, kept) -> shown.put(node, kept.slot.left()));
    }
  }

  /** Keeps again what was shown last, less what somebody has taken of it until then. */
  void restore(List<Reservation> some) {
    Map<NodeId, Resources> used = new TreeMap<>();
    for (Reservation reservation : some) {
      for (Map.Entry<NodeId, Kept> entry : reservation.kept.entrySet()) {
        NodeId node = entry.getKey();
        Resources then = shown.getOrDefault(node, Resources.NONE);
        used.computeIfAbsent(node, n -> Owed.beyond(then, entry.getValue().slot.left()));
      }
    }
    for (Reservation reservation : some) {
      reservation.kept.forEach((node, kept) -> keepLess(kept, node, used));
    }
  }

  /** Somebody who ends before these start has taken something beside what is kept. */
  void used(List<Reservation> some, List<Holding> taken) {
    Map<NodeId, Resources> used = new TreeMap<>();
    taken.forEach(held -> used.merge(held.node(), held.takes(), Resources::plus));
    for (Reservation reservation : some) {
      for (Map.Entry<NodeId, Kept> entry : reservation.kept.entrySet()) {
        Kept kept = entry.getValue();
        if (used.containsKey(entry.getKey()) && !kept.nothingAside()) {
          pool.give(kept.aside);
          keepLess(kept, entry.getKey(), used);
        }
      }
    }
  }

  /** Keeps less of a node by what is used of it, which is counted for one reservation alone. */
  private void keepLess(Kept kept, NodeId node, Map<NodeId, Resources> used) {
    Resources less = Owed.least(kept.aside.takes(), used.getOrDefault(node, Resources.NONE));
    used.computeIfPresent(node, (n, all) -> all.minus(less));
    kept.owed = kept.owed.plus(less); // Given back in time.
    kept.aside = setAside(kept.slot, kept.aside.takes().minus(less));
    owes(node);
  }

  /** A gang has taken what was kept for it and is shown. */
  void forget(Reservation reservation) {
    all.remove(reservation);
    reservation.kept.forEach(
        (node, kept) -> {
          byNode.computeIfAbsent(node, n -> new ArrayList<>()).remove(kept);
          owes(node);
        });
  }

  /**
   * What a gang would get of the pool as it is.
   *
   * @param parts what it takes, by node
   */
  record Promise(Placement placement, Map<NodeId, Taken> parts) {}

  /** What a gang would take; the pool is as it was then. */
  static Optional<Promise> promise(Pool pool, Supplier<Optional<Placement>> take) {
    int before = pool.mark();
    Optional<Placement> placement = take.get();
    Map<NodeId, Resources> after = new LinkedHashMap<>();
    for (NodeId node : placement.map(Placement::nodes).orElse(List.of())) {
      pool.slot(node).ifPresent(slot -> after.put(node, slot.left()));
    }
    pool.backTo(before);
    Map<NodeId, Taken> parts = new LinkedHashMap<>();
    after.forEach(
        (node, left) ->
            pool.slot(node)
                .ifPresent(
                    slot -> parts.put(node, new Taken(Owed.beyond(slot.left(), left), left))));
    return placement.map(given -> new Promise(given, parts));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Reservations.Promise;
import dev.clustered.core.plan.Reservations.Taken;
import dev.clustered.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Decides what is kept for the gangs that wait longest: the nodes that they can have soonest by
 * what is known, else the domain that lacks least. Not thread-safe.
 */
final class Backlog {

  private final int most;
  private final Pool pool;
  private final Timeline timeline;
  private final Reservations reservations;
  private final List<Kind> hopeless = new ArrayList<>();

  private record Domain(Search search, Place place) {}

  Backlog(int most, Pool pool, Timeline timeline, Reservations reservations) {
    this.most = most;
    this.pool = pool;
    this.timeline = timeline;
    this.reservations = reservations;
  }

  /** What became of a gang's wish to have something kept. */
  enum Outcome {
    /** Others are before it. */
    NOT_ITS_TURN,
    /** Something is kept. */
    KEPT,
    /** The nodes that there are would not do even if nobody held any. */
    HOPELESS
  }

  /**
   * What is kept for a gang.
   *
   * @param start when it can start at the latest, if that is known
   */
  record Kept(Outcome outcome, Optional<Instant> start) {}

  /** Keeps something for a gang, if it is its turn. */
  Kept keep(GangRequest wanted, Kind kind, Set<Site> sites, Predicate<Site> open) {
    if (hopeless.contains(kind)) {
      return new Kept(Outcome.HOPELESS, Optional.empty());
    }
    if (sites.stream().noneMatch(site -> reservations.at(site) < most)) {
      return new Kept(Outcome.NOT_ITS_TURN, Optional.empty());
    }
    GangRequest gang = wanted.atMinimum();
    int mark = pool.mark();
    Optional<Instant> start = timeline.first(() -> pool.fits(gang, open), reservations.owed());
    Optional<Promise> promise =
        start.flatMap(at -> Reservations.promise(pool, () -> pool.place(gang, open)));
    pool.backTo(mark);
    if (promise.isPresent()) {
      reservations.keep(gang.id(), start, promise.get().parts());
      reservations.count(sites(promise.get().parts().keySet()));
      return new Kept(Outcome.KEPT, start);
    }
    Optional<Domain> domain = domain(gang, open);
    if (domain.isEmpty()) {
      hopeless.add(kind);
      return new Kept(Outcome.HOPELESS, Optional.empty());
    }
    reservations.keep(gang.id(), Optional.empty(), freeNow(gang, domain.get()));
    reservations.count(Collections.singleton(domain.get().search().site(domain.get().place())));
    return new Kept(Outcome.KEPT, Optional.empty());
  }

  private Set<Site> sites(Set<NodeId> nodes) {
    Set<Site> sites = new TreeSet<>();
    nodes.forEach(node -> pool.slot(node).ifPresent(slot -> sites.add(slot.node().site())));
    return sites;
  }

  /** Of the domains that would do if nobody were there, the one that lacks least now. */
  private Optional<Domain> domain(GangRequest gang, Predicate<Site> open) {
    int mark = pool.mark();
    pool.giveAll(new Owed()); // What is promised is not promised for ever.
    List<Domain> domains = new ArrayList<>();
    for (Search search : pool.searches(gang, open)) {
      for (Place place : search.outermost()) {
        if (search.holds(place)) {
          domains.add(new Domain(search, place));
        }
      }
    }
    pool.backTo(mark);
    Optional<Domain> best = Optional.empty();
    for (Domain domain : domains) {
      if (best.isEmpty() || missing(domain) < missing(best.get())) {
        best = Optional.of(domain);
      }
    }
    return best;
  }

  private static int missing(Domain domain) {
    return domain.search().missing(domain.place());
  }

  /** What the ranks could have of a domain now, which is not enough for all of them. */
  private static Map<NodeId, Taken> freeNow(GangRequest gang, Domain domain) {
    Map<NodeId, Taken> parts = new LinkedHashMap<>();
    List<Slot> nodes = domain.search().nodesIn(domain.place());
    for (Role role : gang.roles()) {
      int ranks = role.nodes() + (role.equals(gang.roles().getFirst()) ? gang.spares() : 0);
      for (Slot slot : nodes) {
        NodeId node = slot.node().id();
        if (ranks > 0 && !parts.containsKey(node) && slot.holds(role.need())) {
          var takes = role.need().takes(slot.node().shape());
          parts.put(node, new Taken(takes, Owed.beyond(slot.left(), takes)));
          ranks--;
        }
      }
    }
    return parts;
  }
}

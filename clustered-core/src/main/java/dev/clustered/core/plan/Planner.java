// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes one plan by the rules of the package. Its entry is thread-safe. */
public final class Planner {

  /** Higher priorities first; of equal ones, those that have come first. */
  private static final Comparator<GangRequest> ORDER =
      Comparator.comparingInt(GangRequest::priority).reversed();

  private final Pool pool;
  private final Supply supply;
  private final Horizon horizon;
  private final Explanation explanation;
  private final Releases releases;
  private final Queue queue = new Queue();
  private final Map<ClusterId, List<LaunchView>> inFlight = new TreeMap<>();
  private final Map<Kind, Integer> unplaced = new LinkedHashMap<>();
  private final List<Decision> decisions = new ArrayList<>();

  /** Gangs that differ in size alone. */
  private record Kind(Need need, Layout layout) {}

  private Planner(Snapshot snapshot, Pool pool, Census census) {
    this.pool = pool;
    this.supply = new Supply(snapshot.offers(), snapshot.coolDowns(), snapshot.now());
    this.horizon = new Horizon(census, snapshot.launches(), snapshot.offers());
    this.explanation = new Explanation(pool, supply);
    this.releases = new Releases(snapshot.now(), snapshot.policy(), census, pool, supply);
    snapshot.launches().stream()
        .sorted(Comparator.comparing(LaunchView::id))
        .forEach(l -> inFlight.computeIfAbsent(l.gang(), g -> new ArrayList<>()).add(l));
  }

  /**
   * The plan for a snapshot; the same for every snapshot with the same content.
   *
   * @throws IllegalArgumentException when the snapshot contradicts itself, naming the value; the
   *     records of the snapshot check themselves when they are made
   */
  public static Plan plan(Snapshot snapshot) {
    Pool pool = new Pool();
    Census census = new Census();
    for (NodeView node : snapshot.nodes()) {
      pool.put(node);
      census.put(node);
    }
    return plan(snapshot, pool, census);
  }

  /** The plan for nodes that are counted already; the nodes of the snapshot are not looked at. */
  static Plan plan(Snapshot snapshot, Pool pool, Census census) {
    int mark = pool.mark();
    try {
      Planner planner = new Planner(snapshot, pool, census);
      snapshot.waiting().stream().sorted(ORDER).forEach(planner::serve);
      planner.releases.idle();
      if (!planner.releases.chosen().isEmpty()) {
        planner.decisions.add(new Release(List.copyOf(planner.releases.chosen())));
      }
      return new Plan(planner.decisions);
    } finally {
      pool.backTo(mark);
    }
  }

  private void serve(GangRequest gang) {
    List<LaunchView> launches = inFlight.getOrDefault(gang.id(), List.of());
    if (!launches.isEmpty()) {
      decisions.add(waitForLaunch(gang, launches));
      return;
    }
    Set<Site> sites = sites(gang);
    if (sites.isEmpty()) {
      decisions.add(Explanation.refusal(gang, horizon));
      return;
    }
    Optional<Decision> served = place(gang).or(() -> launch(gang));
    decisions.add(served.orElseGet(() -> wait(gang, sites)));
    if (served.isEmpty()) {
      queue.waits(gang.id(), sites);
    }
  }

  /** Where the gang could be, now or when everything that is held has ended. */
  private Set<Site> sites(GangRequest gang) {
    Set<Site> sites = new TreeSet<>();
    horizon
        .most(gang)
        .forEach(
            (site, most) -> {
              if (most >= gang.nodes()) {
                sites.add(site);
              }
            });
    return sites;
  }

  private static Wait waitForLaunch(GangRequest gang, List<LaunchView> launches) {
    List<WaitReason> reasons = new ArrayList<>();
    for (LaunchView launch : launches) {
      reasons.add(
          new WaitReason.LaunchInFlight(launch.id(), launch.nodes(), launch.offer().zone()));
    }
    LaunchView last = launches.getLast();
    Optional<Instant> expected = last.decidedAt().map(at -> at.plus(last.offer().bootTime()));
    return new Wait(gang.id(), reasons, expected);
  }

  /** What one gang did not find no larger one of its kind finds: a plan only ever takes. */
  private Optional<Decision> place(GangRequest gang) {
    Kind kind = new Kind(gang.need(), gang.layout());
    if (gang.nodes() >= unplaced.getOrDefault(kind, Integer.MAX_VALUE)) {
      return Optional.empty();
    }
    Optional<Decision> placed =
        pool.place(gang, queue::open).map(nodes -> new Place(gang.id(), nodes));
    if (placed.isEmpty()) {
      unplaced.put(kind, gang.nodes());
    }
    return placed;
  }

  private Optional<Decision> launch(GangRequest gang) {
    if (!gang.layout().equals(Layout.ANY)) {
      return Optional.empty(); // A backend promises one zone and one fabric, and no more.
    }
    Optional<Offer> best =
        supply
            .suiting(gang)
            .filter(queue::open)
            .filter(offer -> supply.launchable(offer) >= gang.nodes())
            .findFirst();
    best.ifPresent(offer -> supply.take(offer, gang.nodes()));
    return best.map(offer -> new Launch(gang.id(), offer, gang.nodes(), gang.rdma()));
  }

  private Wait wait(GangRequest gang, Set<Site> sites) {
    releases.makeRoom(gang, queue);
    List<Offer> offers = supply.suiting(gang).filter(o -> sites.contains(Site.of(o))).toList();
    List<WaitReason> reasons = new ArrayList<>();
    queue.behind(sites, offers).ifPresent(reasons::add);
    reasons.addAll(explanation.reasons(gang));
    releases.reserve(gang);
    return new Wait(gang.id(), reasons, Optional.empty());
  }
}

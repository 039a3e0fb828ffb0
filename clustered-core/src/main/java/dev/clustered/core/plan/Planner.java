// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.Echo.Like;
import dev.clustered.core.plan.Echo.Told;
import dev.clustered.core.plan.Limits.Denial;
import dev.clustered.core.plan.Reservations.Promise;
import dev.clustered.core.plan.Reservations.Reservation;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Makes one plan by the rules of the package. Its entry is thread-safe. */
public final class Planner {

  private final Instant now;
  private final PlanPolicy policy;
  private final Pool pool;
  private final Supply supply;
  private final Horizon horizon;
  private final Explanation explanation;
  private final Releases releases;
  private final Tenants tenants;
  private final Timeline timeline;
  private final Reservations reservations;
  private final Claims claims;
  private final Backlog backlog;
  private final Preemption preemption;
  private final Migration migration;
  private final Quotas quotas;
  private final Queue queue = new Queue();
  private final Waiting waiting;
  private final Turns turns;
  private final Overtaking overtaking;
  private final Ties ties;
  private final Launching launching;
  private final Launches launches;
  private final Repairs repairs;
  private final Growth growth;
  private final Echo echo = new Echo();

  /** Whether there will never be other nodes than those that are ready. */
  private final boolean settled;

  private Unplaced unplaced = new Unplaced();
  private Unplaced unpromised = new Unplaced();
  private final List<Decision> decisions = new ArrayList<>();

  private Planner(Snapshot snapshot, Pool pool, Census census, Waiting waiting, Accounts accounts) {
    this.waiting = waiting;
    this.now = snapshot.now();
    this.policy = snapshot.policy();
    this.pool = pool;
    this.tenants = census.tenants();
    this.settled =
        snapshot.offers().isEmpty() && snapshot.launches().isEmpty() && census.unready() == 0;
    this.launches = new Launches(snapshot, census, pool);
    List<CoolDown> coolDowns = new ArrayList<>(snapshot.coolDowns());
    coolDowns.addAll(launches.coolDowns());
    this.supply = new Supply(snapshot.offers(), coolDowns, now);
    this.horizon = new Horizon(census, snapshot.launches(), snapshot.offers());
    this.releases = new Releases(now, policy, census, pool, supply);
    this.timeline = new Timeline(now, policy.backfill().overdue(), tenants, pool);
    this.reservations = new Reservations(now, pool);
    this.explanation = new Explanation(pool, supply, census, reservations);
    this.claims = new Claims(pool, tenants, reservations);
    this.quotas = new Quotas(policy.queues(), accounts, snapshot, census, waiting);
    this.backlog = new Backlog(policy.backfill().reservations(), pool, timeline, reservations);
    this.preemption = new Preemption(now, policy.preemption(), pool, tenants, reservations, quotas);
    this.migration = new Migration(now, policy.migration(), pool, tenants, reservations);
    this.launching = new Launching(supply, queue, quotas);
    this.ties =
        new Ties(
            pool, queue::open, gang -> gang.claim().isEmpty() && !launches.underWay(gang.id()));
    this.overtaking = new Overtaking(now, policy, tenants, quotas);
    this.turns = new Turns(waiting, quotas, launches.gangs());
    releases.promise(waiting.promised());
    this.repairs =
        new Repairs(snapshot, pool, supply, launches, census.losses(), releases.promised());
    launches.settle(waiting, releases);
    this.growth =
        new Growth(pool, census, supply, launches, horizon, waiting, quotas, releases.promised());
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
    snapshot.running().forEach(census::put);
    Accounts accounts = new Accounts(snapshot.policy().queues());
    Waiting waiting = Waiting.of(snapshot.waiting());
    return plan(snapshot, pool, census, waiting, accounts, Optional.empty());
  }

  /**
   * The plan for nodes and gangs that are counted already; those of the snapshot are not read.
   *
   * @param accounts those of the policy's queues, whatever is charged to them
   * @param upTo the last gang to be served; if there is one, no wait is explained
   */
  static Plan plan(
      Snapshot snapshot,
      Pool pool,
      Census census,
      Waiting waiting,
      Accounts accounts,
      Optional<ClusterId> upTo) {
    int mark = pool.mark();
    try {
      Planner planner = new Planner(snapshot, pool, census, waiting, accounts);
      planner.decisions.addAll(planner.repairs.all());
      planner.preemption.decided(planner.repairs.mended(), planner.repairs.ended());
      planner.migration.decided(planner.repairs.mended(), planner.repairs.ended());
      waiting.promised().forEach(gang -> planner.claims.keep(gang, snapshot.now()));
      upTo.ifPresent(gang -> planner.explanation.saysNothing());
      planner.serveAll(upTo);
      if (upTo.isEmpty()) {
        planner.decisions.addAll(planner.growth.all(planner.decisions));
      }
      planner.releases.idle();
      if (!planner.releases.chosen().isEmpty()) {
        planner.decisions.add(new Release(List.copyOf(planner.releases.chosen())));
      }
      return new Plan(planner.decisions);
    } finally {
      pool.backTo(mark);
    }
  }

  private void serveAll(Optional<ClusterId> upTo) {
    for (var next = ties.next(turns); next.isPresent(); next = ties.next(turns)) {
      serve(next.get());
      if (upTo.filter(next.get().id()::equals).isPresent()) {
        return; // Nobody who is served later changes what it was given or told.
      }
    }
    turns.addWaits(decisions);
  }

  private void serve(GangRequest gang) {
    Optional<Decision> promised = claimed(gang).or(() -> comes(gang));
    if (promised.isPresent()) {
      decisions.add(promised.get());
      return;
    }
    Like like =
        waiting
            .like(gang)
            .lifting(Reservations.gangs(reservations.notDelayedBy(gang.terms().timeLimit())));
    Optional<Told> told = launches.known(gang.id()) ? Optional.empty() : echo.find(like);
    if (told.isPresent()) {
      decisions.add(told.get().to(gang.id(), queue));
      return;
    }
    Set<Site> sites = horizon.sites(gang, like.kind());
    if (sites.isEmpty() && !launches.underWay(gang.id())) {
      decisions.add(explanation.refusal(gang, horizon));
      return;
    }
    Optional<Denial> denied = quotas.denies(gang, sites);
    if (denied.isPresent()) {
      decisions.add(withoutShare(gang, denied.get()));
    } else {
      decisions.addAll(decide(gang, sites, like));
    }
  }

  /** What a gang was promised while others end, or the wait for it. */
  private Optional<Decision> claimed(GangRequest gang) {
    Optional<Decision> got = claims.take(gang).map(placement -> placed(gang, placement));
    return got.isEmpty() && claims.holds(gang) ? Optional.of(claims.wait(gang)) : got;
  }

  /** The wait for a launch that is under way. */
  private Optional<Decision> comes(GangRequest gang) {
    return launches.underWay(gang.id()) && !launches.complete(gang.id())
        ? Optional.of(launches.wait(gang.id()))
        : Optional.empty();
  }

  /** A gang whose queue may have no more keeps nobody from anything, but may take back its own. */
  private Decision withoutShare(GangRequest gang, Denial denied) {
    Optional<Decision> reclaimed =
        denied.decision() instanceof Wait ? preempt(gang) : Optional.empty();
    Decision decision = reclaimed.orElse(denied.decision());
    quotas.charge(gang, decision);
    if (decision instanceof Wait wait) {
      turns.passOver(wait, denied.full(), overtaking.of(gang));
      releases.withoutShare(gang);
    }
    return decision;
  }

  private List<? extends Decision> decide(GangRequest gang, Set<Site> sites, Like like) {
    if (launches.putBack(gang.id())) {
      unplaced = new Unplaced(); // There is more now than what others did not find.
    }
    Optional<Decision> place = place(gang);
    if (place.isPresent()) {
      quotas.charge(gang, place.get());
      return List.of(place.get());
    }
    launches.keep(gang.id());
    if (launches.underWay(gang.id())) {
      return List.of(launches.wait(gang.id()));
    }
    List<Launch> launched =
        launches.stays(gang.id()) ? launches.rest(gang, supply) : launching.launch(gang);
    if (!launched.isEmpty()) {
      echo.clear();
      quotas.charge(gang, launched);
      return launched;
    }
    Decision decision =
        waitForEnding(gang)
            .or(() -> migrate(gang))
            .or(() -> preempt(gang))
            .orElseGet(() -> wait(gang, sites, like));
    quotas.charge(gang, decision);
    return List.of(decision);
  }

  private Decision placed(GangRequest gang, Placement got) {
    echo.clear();
    timeline.starts(gang, got);
    return new Place(gang.id(), got.assignments(), got.spares(), got.roles());
  }

  /** Where nobody before it and no quota keeps a gang from. */
  private Predicate<Site> open(GangRequest gang) {
    return quotas.limited() ? site -> queue.open(site) && quotas.allow(gang, site) : queue::open;
  }

  /** Takes nodes for as much of a gang as there is room and quota for, or for the least of it. */
  private Optional<Placement> room(GangRequest gang) {
    Optional<Placement> arranged = ties.take(gang);
    if (arranged.isPresent()) {
      return arranged;
    }
    int mark = pool.mark();
    Optional<Placement> most = pool.place(gang, waiting.like(gang).kind(), open(gang));
    if (most.isEmpty() || quotas.allow(gang, most.get())) {
      return most;
    }
    pool.backTo(mark);
    return pool.place(gang.atMinimum(), open(gang)).filter(got -> allowed(gang, got, mark));
  }

  private boolean allowed(GangRequest gang, Placement got, int mark) {
    boolean allowed = quotas.allow(gang, got);
    if (!allowed) {
      pool.backTo(mark);
    }
    return allowed;
  }

  private Optional<Decision> place(GangRequest gang) {
    List<Reservation> later = reservations.notDelayedBy(gang.terms().timeLimit());
    Kind kind = waiting.like(gang).kind().lifting(Reservations.gangs(later));
    if (unplaced.before(gang, kind)) {
      return Optional.empty();
    }
    Optional<Placement> got = room(gang);
    if (got.isEmpty() && !later.isEmpty()) {
      reservations.lift(later);
      got = room(gang);
      reservations.restore(later);
    } else if (got.isPresent() && !later.isEmpty()) {
      reservations.used(later, pool.holdings(got.get(), gang.need()));
    }
    if (got.isEmpty() && !quotas.limited()) { // Another queue may have what this one may not.
      unplaced.add(gang, kind);
    }
    return got.map(placement -> placed(gang, placement));
  }

  /** Waits for those that end already, when what they free is enough. */
  private Optional<Decision> waitForEnding(GangRequest gang) {
    Kind kind = waiting.like(gang).kind();
    if (unpromised.before(gang, kind)) {
      return Optional.empty();
    }
    Optional<Promise> coming = preemption.whenEnded(gang, open(gang));
    if (coming.isEmpty() && !quotas.limited()) {
      unpromised.add(gang, kind);
    }
    coming.ifPresent(some -> claim(gang, some));
    return coming.map(
        some -> {
          int nodes = some.placement().nodes().size();
          WaitReason reason = new WaitReason.Draining(preemption.ending(), nodes, Optional.empty());
          return new Wait(gang.id(), List.of(reason), Optional.empty());
        });
  }

  /** Moves others out of a gang's way. */
  private Optional<Decision> migrate(GangRequest gang) {
    return migration
        .find(gang, open(gang))
        .map(
            found -> {
              Claim claim = claim(gang, found.promise());
              return new Decision.Migrate(gang.id(), found.moves(), found.cost(), claim);
            });
  }

  private Claim claim(GangRequest gang, Promise promise) {
    echo.clear();
    unpromised = new Unplaced(); // More is coming free now.
    reservations.keep(gang.id(), Optional.empty(), promise.parts());
    return new Claim(promise.placement().nodes(), now.plus(policy.preemption().drain()));
  }

  /** Ends others for a gang. */
  private Optional<Decision> preempt(GangRequest gang) {
    if (soonEnough(gang)) {
      return Optional.empty();
    }
    return preemption
        .find(gang, queue::open)
        .map(
            found -> {
              Claim claim = claim(gang, found.promise());
              return new Decision.Preempt(gang.id(), found.victims(), found.shrinks(), claim);
            });
  }

  /** Whether ends that are expected serve a gang within the policy's patience. */
  private boolean soonEnough(GangRequest gang) {
    if (policy.preemption().patience().isZero() || !preemption.possibleFor(gang)) {
      return false;
    }
    int mark = pool.mark();
    GangRequest least = gang.atMinimum();
    Optional<Instant> start =
        timeline.first(() -> pool.fits(least, queue::open), reservations.owed());
    pool.backTo(mark);
    return start.filter(at -> !at.isAfter(now.plus(policy.preemption().patience()))).isPresent();
  }

  private Decision wait(GangRequest gang, Set<Site> sites, Like like) {
    int released = releases.chosen().size();
    releases.makeRoom(gang, queue);
    List<Offer> offers = supply.suiting(gang).filter(o -> sites.contains(Site.of(o))).toList();
    List<WaitReason> reasons = new ArrayList<>(explanation.reasons(gang, sites));
    reasons.addAll(launches.reasons(gang.id()));
    Optional<Instant> cooledDown = launching.cooledDown(gang);
    releases.reserve(gang);
    Backlog.Kept kept = backlog.keep(gang, waiting.like(gang).kind(), sites, queue::open);
    boolean launchable = gang.ways().stream().anyMatch(GangRequest::launchable);
    if (kept.outcome() == Backlog.Outcome.HOPELESS && settled && !launchable) {
      return explanation.nowhere(gang);
    }
    Optional<Instant> start =
        Stream.concat(kept.start().stream(), cooledDown.stream()).min(Comparator.naturalOrder());
    Told told = new Told(sites, offers, List.copyOf(reasons), start);
    Wait wait = told.to(gang.id(), queue);
    if (kept.outcome() == Backlog.Outcome.HOPELESS && !offers.isEmpty()) {
      queue.needsAll(sites);
    }
    if (kept.outcome() == Backlog.Outcome.KEPT || released < releases.chosen().size()) {
      echo.clear();
    } else if (!launches.known(gang.id())) {
      echo.add(like, told);
    }
    return wait;
  }
}

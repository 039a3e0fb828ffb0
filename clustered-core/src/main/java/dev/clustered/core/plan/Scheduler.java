// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Plans again and again over a pool that changes: gives what {@link Planner#plan} gives for the
 * same content, at the cost of what has changed. Not thread-safe.
 */
public final class Scheduler {

  private final Pool pool = new Pool();
  private final Census census = new Census();
  private final Map<NodeId, NodeView> nodes = new LinkedHashMap<>();
  private final Waiting waiting = new Waiting();
  private PlanPolicy policy;
  private Accounts accounts;
  private List<QueueUse> uses = List.of();
  private List<LaunchView> launches = List.of();
  private List<Offer> offers = List.of();
  private List<CoolDown> coolDowns = List.of();
  private Optional<Plan> last = Optional.empty();
  private Instant lastFrom = Instant.MIN;
  private Instant lastUntil = Instant.MIN;

  /** A scheduler without nodes and gangs. */
  public Scheduler(PlanPolicy policy) {
    this.policy = policy;
    this.accounts = new Accounts(policy.queues());
  }

  /** A node is new or has changed. One that is as it was costs nothing. */
  public void node(NodeView node) {
    if (node.equals(nodes.put(node.id(), node))) {
      return;
    }
    pool.put(node);
    census.put(node);
    changed();
  }

  /** A node is gone. */
  public void forget(NodeId node) {
    if (nodes.remove(node) != null) {
      pool.remove(node);
      census.remove(node);
      changed();
    }
  }

  /** A gang has come; one that is known already keeps its turn. */
  public void waits(GangRequest gang) {
    if (waiting.put(gang)) {
      changed();
    }
  }

  /** A gang waits no more. */
  public void served(ClusterId gang) {
    if (waiting.remove(gang)) {
      changed();
    }
  }

  /**
   * A gang has got its nodes, or something of it has changed; what it holds is no longer free. It
   * waits no more.
   */
  public void runs(RunningGang gang) {
    served(gang.id());
    Optional<RunningGang> before = census.tenants().find(gang.id());
    if (before.filter(gang::equals).isPresent()) {
      return;
    }
    before.ifPresent(old -> giveBack(old, gang.startedAt()));
    for (Holding held : Tenants.holdings(gang)) {
      NodeView known = nodes.get(held.node());
      if (known != null) {
        node(known.with(held));
      }
    }
    census.put(gang);
    changed();
  }

  /** A gang has ended; what it held is free again, and idle from now on where nobody else is. */
  public void ended(ClusterId gang, Instant at) {
    census.remove(gang).ifPresent(old -> giveBack(old, at));
    changed();
  }

  private void giveBack(RunningGang gang, Instant at) {
    for (Holding held : Tenants.holdings(gang)) {
      NodeView known = nodes.get(held.node());
      if (known != null) {
        node(known.without(held, at));
      }
    }
  }

  /** What is being launched, what could be, and what may not be for a while. */
  public void capacity(List<LaunchView> underWay, List<Offer> offered, List<CoolDown> cooling) {
    if (!underWay.equals(launches) || !offered.equals(offers) || !cooling.equals(coolDowns)) {
      launches = List.copyOf(underWay);
      offers = List.copyOf(offered);
      coolDowns = List.copyOf(cooling);
      changed();
    }
  }

  /** What the queues have used so far. */
  public void used(List<QueueUse> now) {
    if (!now.equals(uses)) {
      uses = List.copyOf(now);
      changed();
    }
  }

  /** The operator decides otherwise. */
  public void policy(PlanPolicy other) {
    if (!other.equals(policy)) {
      policy = other;
      accounts = new Accounts(other.queues());
      changed();
    }
  }

  /** Every node that it was told of and that is not gone. */
  Collection<NodeView> nodes() {
    return Collections.unmodifiableCollection(nodes.values());
  }

  /** A node that it was told of. */
  NodeView node(NodeId id) {
    return Objects.requireNonNull(nodes.get(id), () -> "there is no node " + id);
  }

  private void changed() {
    last = Optional.empty();
  }

  /**
   * The plan at a time.
   *
   * @throws IllegalArgumentException when what it was told contradicts itself, naming the value
   */
  public Plan plan(Instant now) {
    if (last.isEmpty() || now.isBefore(lastFrom) || !now.isBefore(lastUntil)) {
      Snapshot snapshot =
          new Snapshot(
              now, List.of(), launches, offers, List.of(), coolDowns, policy, List.of(), uses);
      last = Optional.of(Planner.plan(snapshot, pool, census, waiting, accounts, Optional.empty()));
      lastFrom = now;
      lastUntil = nextChange(now, last.get());
    }
    return last.get();
  }

  /**
   * When time alone changes the plan. One that gives anybody anything is made for its moment: what
   * it promises and for how long counts from then.
   */
  private Instant nextChange(Instant now, Plan plan) {
    if (!onlyWaits(plan)
        || (!waiting.isEmpty() && census.tenants().anyEndIn(now.minus(overdue()), now))) {
      return now.plusNanos(1); // Who is overdue may end at any moment, so starts move with time.
    }
    return nextMoment(now).orElse(Instant.MAX);
  }

  /** The first moment after a time of which it is known that it may change the plan. */
  Optional<Instant> nextMoment(Instant now) {
    return Stream.of(ofCapacity(), ofNodes(now), ofGangs(now))
        .flatMap(times -> times)
        .filter(now::isBefore)
        .min(Instant::compareTo);
  }

  private static boolean onlyWaits(Plan plan) {
    for (Decision decision : plan.decisions()) {
      if (!(decision instanceof Decision.Wait || decision instanceof Decision.Refuse)) {
        return false;
      }
    }
    return true;
  }

  private Duration overdue() {
    return policy.backfill().overdue();
  }

  /** Cool-downs end, and launches are late. */
  private Stream<Instant> ofCapacity() {
    Duration coolDown = policy.launching().coolDown(1);
    return Stream.concat(
        coolDowns.stream().map(CoolDown::until),
        launches.stream()
            .flatMap(launch -> launch.deadline().stream())
            .flatMap(late -> Stream.of(late, late.plus(coolDown))));
  }

  /** Nodes have been idle for long enough. */
  private Stream<Instant> ofNodes(Instant now) {
    return census.idleAfter(now.minus(policy.idleNodeTime())).stream()
        .map(since -> since.plus(policy.idleNodeTime()));
  }

  /** Gangs should have ended, or may be ended; promises run out; gangs may be moved again. */
  private Stream<Instant> ofGangs(Instant now) {
    PlanPolicy.Migration migration = policy.migration();
    Stream<Instant> allowed =
        migration
            .lastAt()
            .filter(at -> migration.enabled())
            .map(at -> at.plus(migration.every()))
            .stream();
    Stream<Instant> promises =
        waiting.promised().stream().flatMap(gang -> gang.claim().stream()).map(Claim::until);
    Duration guaranteed = policy.preemption().minimumRuntime();
    Stream<Instant> victims =
        guaranteed.isZero()
            ? Stream.empty()
            : census.tenants().all().stream().map(gang -> gang.startedAt().plus(guaranteed));
    return Stream.of(census.tenants().endAfter(now).stream(), allowed, promises, victims)
        .flatMap(times -> times);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Carries plans out in virtual time, as an engine would, and fails when a plan cannot be. */
final class PoolSimulation {

  Instant now = Scenario.NOW;
  final Map<NodeId, NodeView> nodes = new TreeMap<>();
  final Map<ClusterId, RunningGang> running = new TreeMap<>();
  final List<GangRequest> waiting = new ArrayList<>();

  /** When each gang really ends, whatever is expected. */
  final Map<ClusterId, Duration> takes = new TreeMap<>();

  final Map<ClusterId, Instant> started = new TreeMap<>();
  final Map<ClusterId, Integer> ended = new TreeMap<>();
  PlanPolicy policy = new PlanPolicy(Duration.ofDays(1));

  /** How long a gang that was told to end takes to do so. */
  Duration drain = Duration.ofSeconds(30);

  private final Map<ClusterId, Instant> ends = new TreeMap<>();

  void node(NodeView node) {
    nodes.put(node.id(), node);
  }

  Snapshot snapshot() {
    return new Snapshot(
        now,
        List.copyOf(nodes.values()),
        List.of(),
        List.of(),
        waiting,
        List.of(),
        policy,
        List.copyOf(running.values()),
        List.of());
  }

  Plan step() {
    Plan plan = Planner.plan(snapshot());
    plan.decisions().forEach(this::carryOut);
    return plan;
  }

  private void carryOut(Decision decision) {
    switch (decision) {
      case Decision.Place place -> place(place);
      case Decision.Preempt preempt -> preempt(preempt);
      case Decision.Migrate migrate -> migrate(migrate);
      case Decision.Wait wait -> {}
      case Decision.Release release -> release.nodes().forEach(nodes::remove);
      case Decision.Refuse refuse -> waiting.remove(request(refuse.gang()));
      default -> throw new AssertionError(decision);
    }
  }

  private GangRequest request(ClusterId id) {
    return waiting.stream().filter(gang -> gang.id().equals(id)).findFirst().orElseThrow();
  }

  private void place(Decision.Place place) {
    GangRequest gang = request(place.gang());
    waiting.remove(gang);
    List<Member> members = new ArrayList<>();
    int next = 0;
    for (Role role : place.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        Assignment assignment = place.assignments().get(next);
        members.add(new Member(next, role.name(), hold(assignment, role.need())));
        next++;
      }
    }
    List<Holding> spares = place.spares().stream().map(spare -> hold(spare, gang.need())).toList();
    GangRequest served = gang.withRoles(gang.roles());
    RunningGang runs =
        new RunningGang(
            served,
            members,
            spares,
            now,
            gang.terms().timeLimit().map(now::plus),
            RunningGang.Phase.RUNNING,
            Optional.empty());
    running.put(gang.id(), runs);
    started.putIfAbsent(gang.id(), now);
    ends.put(gang.id(), now.plus(takes.getOrDefault(gang.id(), Duration.ofDays(365))));
  }

  private Holding hold(Assignment assignment, Need need) {
    NodeView node = nodes.get(assignment.node());
    if (node == null || !node.ready()) {
      throw new AssertionError(assignment + " is of no node that is ready");
    }
    Resources takes = need.takes(node.shape());
    Holding held = new Holding(node.id(), takes, assignment.gpus());
    if (!node.free().holds(takes) || !node.freeGpus().containsAll(assignment.gpus())) {
      throw new AssertionError(assignment + " is not free on " + node);
    }
    if (assignment.gpus().size() != takes.gpus()) {
      throw new AssertionError(assignment + " is not " + takes);
    }
    nodes.put(node.id(), node.with(held));
    return held;
  }

  private void preempt(Decision.Preempt preempt) {
    for (ClusterId id : preempt.victims()) {
      RunningGang victim = running.get(id);
      if (victim == null || victim.phase() != RunningGang.Phase.RUNNING) {
        throw new AssertionError(id + " is not there to be ended: " + preempt);
      }
      if (!victim.request().terms().preemptible()) {
        throw new AssertionError(id + " may not be ended: " + preempt);
      }
      running.put(id, victim.endingFor(preempt.gang()));
      ends.put(id, now.plus(drain));
    }
    for (Decision.Shrink shrink : preempt.shrinks()) {
      RunningGang gang = running.get(shrink.gang());
      List<Member> members = new ArrayList<>();
      for (Member member : gang.members()) {
        if (shrink.ranks().contains(member.rank())) {
          free(member.at());
        } else {
          members.add(member);
        }
      }
      running.put(gang.id(), with(gang, members));
    }
    GangRequest gang = request(preempt.gang());
    waiting.set(waiting.indexOf(gang), gang.withClaim(preempt.claim()));
  }

  private void migrate(Decision.Migrate migrate) {
    for (Decision.Move move : migrate.moves()) {
      RunningGang gang = running.get(move.gang());
      List<Member> members = new ArrayList<>();
      for (Member member : gang.members()) {
        if (member.rank() == move.rank() && !member.leaving()) {
          Need need = gang.request().need();
          members.add(new Member(member.rank(), member.role(), hold(move.to(), need)));
          members.add(new Member(member.rank(), member.role(), member.at(), true));
        } else {
          members.add(member);
        }
      }
      running.put(gang.id(), with(gang, members));
    }
    GangRequest gang = request(migrate.gang());
    waiting.set(waiting.indexOf(gang), gang.withClaim(migrate.claim()));
  }

  /** Everybody who moves has left the old nodes. */
  void moved() {
    for (RunningGang gang : List.copyOf(running.values())) {
      gang.members().stream().filter(Member::leaving).forEach(member -> free(member.at()));
      running.put(
          gang.id(), with(gang, gang.members().stream().filter(m -> !m.leaving()).toList()));
    }
  }

  private static RunningGang with(RunningGang gang, List<Member> members) {
    return new RunningGang(
        gang.request(),
        members,
        gang.spares(),
        gang.startedAt(),
        gang.expectedEnd(),
        gang.phase(),
        gang.endsFor());
  }

  private void free(Holding held) {
    nodes.computeIfPresent(held.node(), (id, node) -> node.without(held, now));
  }

  /** Goes on to the next end; false when nobody runs. */
  boolean advance() {
    Optional<Instant> next = ends.values().stream().min(Comparator.naturalOrder());
    if (next.isEmpty()) {
      return false;
    }
    now = next.get();
    for (ClusterId id : new TreeSet<>(ends.keySet())) {
      if (!ends.get(id).isAfter(now)) {
        end(id);
      }
    }
    return true;
  }

  void end(ClusterId id) {
    ends.remove(id);
    RunningGang gang = running.remove(id);
    Tenants.holdings(gang).forEach(this::free);
    if (gang.endsFor().isPresent()) {
      waiting.addFirst(gang.request()); // At its old place.
      waiting.sort(Comparator.comparing(GangRequest::queuedAt).thenComparing(GangRequest::id));
    } else {
      ended.merge(id, 1, Integer::sum);
    }
  }
}

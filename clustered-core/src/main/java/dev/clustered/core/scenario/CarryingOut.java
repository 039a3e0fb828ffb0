// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Claim;
import dev.clustered.core.plan.CoolDown;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Holding;
import dev.clustered.core.plan.LaunchView;
import dev.clustered.core.plan.Member;
import dev.clustered.core.plan.Need;
import dev.clustered.core.plan.NodeHealth;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.PlanPolicy.Launching.Late;
import dev.clustered.core.plan.Role;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Does to a world what a plan says, as far as it happens at once: who is ended drains first, who is
 * moved leaves its old nodes later, who is launched for waits for the launch. Not thread-safe.
 */
final class CarryingOut {

  private final World world;
  private final Map<String, Offer> offered;

  private CarryingOut(World world) {
    this.world = world;
    this.offered = new TreeMap<>(world.offers);
  }

  /**
   * Carries a plan out.
   *
   * @throws IllegalArgumentException when the plan gives away what is not there
   */
  static void of(Plan plan, World world) {
    CarryingOut carrying = new CarryingOut(world);
    List<LaunchView> late = carrying.late();
    plan.decisions().forEach(carrying::carryOut);
    late.forEach(carrying::settle);
    world.snapshot();
  }

  private List<LaunchView> late() {
    return world.launches.values().stream()
        .filter(launch -> launch.granted() < launch.nodes())
        .filter(launch -> launch.deadline().filter(end -> !end.isAfter(world.now)).isPresent())
        .toList();
  }

  /** A late launch is over: it brought what it brought, or nothing, and its zone is left alone. */
  private void settle(LaunchView launch) {
    PlanPolicy.Launching policy = world.policy.launching();
    boolean stays = policy.late() == Late.KEEP && launch.offer().shape().rdmaGigabits() == 0;
    if (stays && launch.granted() > 0) {
      world.launches.put(
          launch.id(),
          new LaunchView(
              launch.id(),
              launch.gang(),
              launch.offer(),
              launch.granted(),
              launch.decidedAt(),
              launch.granted(),
              launch.deadline()));
      return;
    }
    world.launches.remove(launch.id());
    Offer offer = launch.offer();
    world.coolDowns.add(
        new CoolDown(
            offer.backend(),
            offer.zone(),
            offer.shape().name(),
            launch.deadline().orElse(world.now).plus(policy.firstCoolDown()),
            "%d of %d nodes came".formatted(launch.granted(), launch.nodes())));
  }

  private void carryOut(Decision decision) {
    switch (decision) {
      case Decision.Place place -> place(place);
      case Decision.Launch launch -> launch(launch);
      case Decision.Preempt preempt -> preempt(preempt);
      case Decision.Migrate migrate -> migrate(migrate);
      case Decision.Replace replace -> replace(replace);
      case Decision.Resize resize -> resize(resize);
      case Decision.Requeue requeue ->
          change(requeue.gang(), gang -> gang.withPhase(RunningGang.Phase.ENDING));
      case Decision.Release release -> release(release);
      case Decision.Wait wait -> {}
      case Decision.Refuse refuse -> world.waitsNoMore(refuse.gang());
    }
  }

  private void change(ClusterId id, java.util.function.UnaryOperator<RunningGang> change) {
    world.running.put(id, change.apply(world.running(id)));
  }

  private void place(Decision.Place place) {
    GangRequest gang = world.waiting(place.gang());
    List<Member> members = new ArrayList<>();
    for (Role role : place.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        int rank = members.size();
        if (rank == place.assignments().size()) {
          throw new IllegalArgumentException(
              "gang %s is placed as %s on %d nodes"
                  .formatted(gang.id(), place.roles(), place.assignments().size()));
        }
        members.add(
            new Member(rank, role.name(), holding(role.need(), place.assignments().get(rank))));
      }
    }
    if (members.size() != place.assignments().size()) {
      throw new IllegalArgumentException(
          "gang %s is placed as %s on %d nodes"
              .formatted(gang.id(), place.roles(), place.assignments().size()));
    }
    members.forEach(member -> requireReady(gang.id(), member.at().node()));
    place.spares().forEach(spare -> requireReady(gang.id(), spare.node()));
    Need first = place.roles().getFirst().need();
    world.waitsNoMore(gang.id());
    world.running.put(
        gang.id(),
        new RunningGang(
            unclaimed(gang),
            members,
            place.spares().stream().map(spare -> holding(first, spare)).toList(),
            world.now,
            gang.terms().timeLimit().map(world.now::plus),
            RunningGang.Phase.RUNNING,
            Optional.empty()));
  }

  private void requireReady(ClusterId gang, NodeId node) {
    NodeHealth health = world.machine(node).health();
    if (health != NodeHealth.READY) {
      throw new IllegalArgumentException(
          "gang %s gets node %s, which is %s".formatted(gang, node, Fields.word(health)));
    }
  }

  static GangRequest unclaimed(GangRequest gang) {
    return new GangRequest(
        gang.id(),
        gang.queuedAt(),
        gang.roles(),
        gang.layout(),
        gang.spares(),
        gang.terms(),
        gang.alternatives(),
        Optional.empty());
  }

  private Holding holding(Need need, Assignment at) {
    return new Holding(at.node(), World.takes(need, world.machine(at.node())), at.gpus());
  }

  private void launch(Decision.Launch launch) {
    List<LaunchView> late = late();
    world.launches.values().stream()
        .filter(other -> other.gang().equals(launch.gang()) && !late.contains(other))
        .filter(other -> other.offer().shape().equals(launch.offer().shape()))
        .findFirst()
        .ifPresent(
            other -> {
              throw new IllegalArgumentException(
                  "gang %s is launched for twice: %s".formatted(launch.gang(), other.id()));
            });
    String name =
        offered.entrySet().stream()
            .filter(entry -> entry.getValue().equals(launch.offer()))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("nobody offers " + launch.offer()));
    LaunchId id = world.nextLaunch(launch.gang());
    world.launches.put(
        id,
        new LaunchView(id, launch.gang(), launch.offer(), launch.nodes(), Optional.of(world.now)));
    takeOffer(name, launch.nodes());
  }

  /** What a zone has is shared by its shapes. */
  private void takeOffer(String name, int nodes) {
    Offer of = world.offers.getOrDefault(name, offered.get(name));
    if (of == null || of.available() < nodes) {
      throw new IllegalArgumentException(
          "%d nodes are launched of the offer %s, which has fewer: %s".formatted(nodes, name, of));
    }
    for (Map.Entry<String, Offer> entry : world.offers.entrySet()) {
      Offer offer = entry.getValue();
      boolean shared = offer.backend().equals(of.backend()) && offer.zone().equals(of.zone());
      if (shared && offer.available() != Integer.MAX_VALUE) {
        entry.setValue(withAvailable(offer, Math.max(0, offer.available() - nodes)));
      }
    }
  }

  private static Offer withAvailable(Offer offer, int available) {
    return new Offer(
        offer.backend(),
        offer.shape(),
        offer.zone(),
        offer.market(),
        offer.hourlyPrice(),
        offer.bootTime(),
        available);
  }

  private void claim(ClusterId gang, Claim claim) {
    world.waits(world.waiting(gang).withClaim(claim));
  }

  private void preempt(Decision.Preempt preempt) {
    for (ClusterId victim : preempt.victims()) {
      if (world.running(victim).phase() == RunningGang.Phase.ENDING) {
        throw new IllegalArgumentException("gang " + victim + " is ended twice");
      }
      change(victim, gang -> gang.endingFor(preempt.gang()));
    }
    for (Decision.Shrink shrink : preempt.shrinks()) {
      change(shrink.gang(), gang -> leaving(gang, shrink.ranks()));
    }
    claim(preempt.gang(), preempt.claim());
  }

  private static RunningGang leaving(RunningGang gang, List<Integer> ranks) {
    List<Member> members =
        gang.members().stream()
            .map(
                member ->
                    ranks.contains(member.rank())
                        ? new Member(member.rank(), member.role(), member.at(), true)
                        : member)
            .toList();
    return with(gang, members, gang.spares());
  }

  static RunningGang with(RunningGang gang, List<Member> members, List<Holding> spares) {
    return new RunningGang(
        gang.request(),
        members,
        spares,
        gang.startedAt(),
        gang.expectedEnd(),
        gang.phase(),
        gang.endsFor());
  }

  /** The rank is on its new node, and still holds the old one. */
  private void migrate(Decision.Migrate migrate) {
    for (Decision.Move move : migrate.moves()) {
      requireReady(move.gang(), move.to().node());
      change(move.gang(), gang -> with(gang, moved(gang, move), gang.spares()));
    }
    claim(migrate.gang(), migrate.claim());
  }

  private static List<Member> moved(RunningGang gang, Decision.Move move) {
    List<Member> members = new ArrayList<>();
    for (Member member : gang.members()) {
      if (member.rank() == move.rank() && member.at().node().equals(move.from())) {
        members.add(new Member(member.rank(), member.role(), moved(member.at(), move.to())));
        members.add(new Member(member.rank(), member.role(), member.at(), true));
      } else {
        members.add(member);
      }
    }
    return members;
  }

  private void replace(Decision.Replace replace) {
    for (Decision.Replacement change : replace.replacements()) {
      RunningGang gang = world.running(replace.gang());
      requireReady(gang.id(), change.to().node());
      List<Holding> spares = spares(gang, change);
      if (change.rank() == Decision.Replacement.SPARE) {
        world.running.put(gang.id(), with(gang, gang.members(), spares));
      } else {
        world.running.put(gang.id(), with(gang, members(gang, change), spares));
      }
    }
  }

  private static List<Member> members(RunningGang gang, Decision.Replacement change) {
    List<Member> members = new ArrayList<>();
    for (Member member : gang.members()) {
      boolean lost = member.rank() == change.rank();
      if (lost && !member.at().node().equals(change.lost())) {
        throw new IllegalArgumentException(
            "rank %d of gang %s is on %s, not on %s"
                .formatted(member.rank(), gang.id(), member.at().node(), change.lost()));
      }
      members.add(
          lost
              ? new Member(member.rank(), member.role(), moved(member.at(), change.to()))
              : member);
    }
    return members;
  }

  private static Holding moved(Holding at, Assignment to) {
    return new Holding(to.node(), at.takes(), to.gpus());
  }

  /** The spares that are left, or the same with another for a lost one. */
  private static List<Holding> spares(RunningGang gang, Decision.Replacement change) {
    if (change.rank() == Decision.Replacement.SPARE) {
      return gang.spares().stream()
          .map(spare -> spare.node().equals(change.lost()) ? moved(spare, change.to()) : spare)
          .toList();
    }
    List<Holding> left =
        gang.spares().stream().filter(spare -> !spare.node().equals(change.to().node())).toList();
    if (change.spare() == (left.size() == gang.spares().size())) {
      throw new IllegalArgumentException(
          "%s is called a spare of gang %s, or is one without being called so"
              .formatted(change.to().node(), gang.id()));
    }
    return left;
  }

  private void resize(Decision.Resize resize) {
    change(
        resize.gang(),
        gang ->
            with(
                gang,
                gang.members().stream()
                    .filter(member -> resize.ranks().contains(member.rank()))
                    .toList(),
                gang.spares()));
  }

  private void release(Decision.Release release) {
    world.settle();
    for (NodeId node : release.nodes()) {
      Machine machine = world.machine(node);
      if (machine.idleSince().isEmpty()) {
        throw new IllegalArgumentException("node " + node + " is given back and is not idle");
      }
      world.machines.put(node, machine.in(NodeHealth.CORDONED));
    }
  }
}

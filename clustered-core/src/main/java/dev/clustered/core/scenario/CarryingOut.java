// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.CarriedOut;
import dev.clustered.core.plan.Claim;
import dev.clustered.core.plan.CoolDown;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.LaunchView;
import dev.clustered.core.plan.NodeHealth;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.PlanPolicy.Launching.Late;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
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
      case Decision.Grow grow -> grow(grow);
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
    RunningGang placed =
        CarriedOut.placed(gang, place, node -> world.machine(node).shape(), world.now);
    placed.members().forEach(member -> requireReady(gang.id(), member.at().node()));
    place.spares().forEach(spare -> requireReady(gang.id(), spare.node()));
    world.waitsNoMore(gang.id());
    world.running.put(gang.id(), placed);
  }

  private void requireReady(ClusterId gang, NodeId node) {
    NodeHealth health = world.machine(node).health();
    if (health != NodeHealth.READY) {
      throw new IllegalArgumentException(
          "gang %s gets node %s, which is %s".formatted(gang, node, Fields.word(health)));
    }
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
      change(shrink.gang(), gang -> CarriedOut.shrunk(gang, shrink));
    }
    claim(preempt.gang(), preempt.claim());
  }

  /** The rank is on its new node, and still holds the old one. */
  private void migrate(Decision.Migrate migrate) {
    for (Decision.Move move : migrate.moves()) {
      requireReady(move.gang(), move.to().node());
      change(move.gang(), gang -> CarriedOut.moved(gang, move));
    }
    claim(migrate.gang(), migrate.claim());
  }

  private void replace(Decision.Replace replace) {
    replace
        .replacements()
        .forEach(replacement -> requireReady(replace.gang(), replacement.to().node()));
    change(replace.gang(), gang -> CarriedOut.replaced(gang, replace));
  }

  private void resize(Decision.Resize resize) {
    change(resize.gang(), gang -> CarriedOut.resized(gang, resize));
  }

  private void grow(Decision.Grow grow) {
    grow.assignments().forEach(rank -> requireReady(grow.gang(), rank.node()));
    grow.spares().forEach(spare -> requireReady(grow.gang(), spare.node()));
    change(grow.gang(), gang -> CarriedOut.grown(gang, grow, node -> world.machine(node).shape()));
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

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
import dev.clustered.core.plan.RunningGang;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Lets gangs come, run and end in virtual time, with a plan whenever something has happened. A gang
 * ends when it has run for as long as its file says, else when it is expected to. Not thread-safe.
 */
final class VirtualTime {

  /** More plans than any scenario needs: who makes more goes round in circles. */
  private static final int MOST_PLANS = 100_000;

  final Map<ClusterId, Instant> started = new TreeMap<>();
  final Map<ClusterId, Instant> ended = new TreeMap<>();
  final List<String> lines = new ArrayList<>();
  final List<String> unmet = new ArrayList<>();
  int victims;
  Plan last = new Plan(List.of());

  private final World world;
  private final Duration drain;
  private final Map<ClusterId, Instant> ends = new TreeMap<>();
  private final Map<ClusterId, Instant> stops = new TreeMap<>();
  private final Map<ClusterId, Instant> leaves = new TreeMap<>();

  VirtualTime(World world, Duration drain) {
    this.world = world;
    this.drain = drain;
  }

  /** Goes on for a time. */
  void run(Duration time) {
    Instant end = world.now.plus(time);
    world.running.values().forEach(this::willEnd);
    for (int plans = 0; unmet.isEmpty(); plans++) {
      if (plans == MOST_PLANS) {
        unmet.add("there were %d plans by %s, and no end".formatted(plans, world.now));
        return;
      }
      plan();
      Optional<Instant> next = next();
      if (next.isEmpty() || next.get().isAfter(end)) {
        world.advance(end);
        return;
      }
      happen(next.get());
    }
  }

  private void willEnd(RunningGang gang) {
    world
        .runs(gang.id())
        .map(time -> gang.startedAt().plus(time))
        .or(gang::expectedEnd)
        .ifPresent(at -> ends.put(gang.id(), at.isBefore(world.now) ? world.now : at));
    if (gang.phase() == RunningGang.Phase.ENDING) {
      stops.put(gang.id(), world.now.plus(drain));
    }
    if (gang.members().stream().anyMatch(member -> member.leaving())) {
      leaves.put(gang.id(), world.now.plus(drain));
    }
  }

  private Optional<Instant> next() {
    Stream<Instant> deadlines =
        Stream.of(
                world.coolDowns.stream().map(CoolDown::until),
                world.waiting().stream().flatMap(gang -> gang.claim().stream()).map(Claim::until),
                world.launches.values().stream().map(VirtualTime::ready))
            .flatMap(moments -> moments)
            .filter(moment -> moment.isAfter(world.now));
    return Stream.of(
            deadlines,
            world.toCome.stream().map(GangReader.Arrival::at),
            ends.values().stream(),
            stops.values().stream(),
            leaves.values().stream())
        .flatMap(moments -> moments)
        .min(Instant::compareTo);
  }

  private static Instant ready(LaunchView launch) {
    return launch.decidedAt().orElse(Instant.MIN).plus(launch.offer().bootTime());
  }

  private void happen(Instant at) {
    world.advance(at);
    for (ClusterId gang : due(ends)) {
      world.ended(gang);
      stops.remove(gang);
      ended.put(gang, at);
      line(gang + " ends");
    }
    for (ClusterId gang : due(stops)) {
      world.returns(gang);
      ends.remove(gang);
      line(gang + " has ended for others and waits again");
    }
    due(leaves).stream().filter(world.running::containsKey).forEach(world::left);
    for (LaunchView launch : List.copyOf(world.launches.values())) {
      if (!ready(launch).isAfter(at)) {
        arrive(launch);
      }
    }
    world.settle();
  }

  private List<ClusterId> due(Map<ClusterId, Instant> moments) {
    List<ClusterId> due =
        moments.entrySet().stream()
            .filter(entry -> !entry.getValue().isAfter(world.now))
            .map(Map.Entry::getKey)
            .toList();
    due.forEach(moments::remove);
    return due;
  }

  /** The nodes of a launch come up, all on one fabric. */
  private void arrive(LaunchView launch) {
    world.launches.remove(launch.id());
    for (int i = 0; i < launch.nodes(); i++) {
      NodeId id = new NodeId(launch.id() + "-" + i);
      TopologyPath path =
          TopologyPath.of(
              TopologyPath.ZONE,
              launch.offer().zone(),
              TopologyPath.FABRIC,
              launch.id().value(),
              "host",
              id.value());
      world.machines.put(
          id,
          new Machine(
              id,
              launch.offer().backend(),
              launch.offer().shape(),
              path,
              NodeHealth.READY,
              launch.offer().shape().resources().minus(launch.offer().shape().resources()),
              Optional.of(world.now),
              launch.id(),
              false,
              new TreeMap<>(),
              new TreeSet<>()));
    }
    line("launch " + launch.id() + " has come up");
    bring(launch);
  }

  /** What was launched for a gang that runs is its spares, as far as it lacks any. */
  private void bring(LaunchView launch) {
    RunningGang gang = world.running.get(launch.gang());
    if (gang == null || !gang.works() || gang.lackingSpares() == 0) {
      return;
    }
    List<Decision.Assignment> spares = new ArrayList<>();
    for (int i = 0; i < Math.min(gang.lackingSpares(), launch.nodes()); i++) {
      Machine machine = world.machine(new NodeId(launch.id() + "-" + i));
      int gpus = World.takes(gang.request().roles().getFirst().need(), machine).gpus();
      List<Integer> some = IntStream.range(0, gpus).boxed().toList();
      spares.add(new Decision.Assignment(machine.id(), some));
    }
    Decision.Grow grow = new Decision.Grow(gang.id(), List.of(), spares);
    world.running.put(gang.id(), CarriedOut.grown(gang, grow, node -> world.machine(node).shape()));
  }

  private void line(String text) {
    lines.add(world.now + " " + text);
  }

  private void plan() {
    Planning planning = Planning.of(world);
    unmet.addAll(planning.broken());
    last = planning.plan();
    if (!planning.broken().isEmpty()) {
      return;
    }
    CarryingOut.of(last, world);
    last.decisions().forEach(this::note);
    for (Decision decision : last.decisions()) {
      if (!(decision instanceof Decision.Wait)) {
        Sentences.of(decision).forEach(this::line);
      }
    }
    if (planning.restless().isPresent()) {
      unmet.add(world.now + ": " + planning.restless().get());
    }
  }

  private void note(Decision decision) {
    switch (decision) {
      case Decision.Place place -> {
        started.putIfAbsent(place.gang(), world.now);
        willEnd(world.running(place.gang()));
      }
      case Decision.Preempt preempt -> {
        victims += preempt.victims().size();
        preempt.victims().forEach(victim -> stops.put(victim, world.now.plus(drain)));
        preempt.shrinks().forEach(shrink -> leaves.put(shrink.gang(), world.now.plus(drain)));
      }
      case Decision.Migrate migrate ->
          migrate.moves().stream()
              .map(Decision.Move::gang)
              .distinct()
              .forEach(
                  gang -> {
                    leaves.put(gang, world.now.plus(drain));
                    GangRequest request = world.running(gang).request();
                    Duration lost = request.terms().moveCost().orElse(Duration.ZERO);
                    ends.computeIfPresent(gang, (id, at) -> at.plus(lost));
                  });
      case Decision.Requeue requeue -> stops.put(requeue.gang(), world.now.plus(drain));
      case Decision.Launch launch -> {}
      case Decision.Replace replace -> {}
      case Decision.Resize resize -> {}
      case Decision.Grow grow -> {}
      case Decision.Release release -> {}
      case Decision.Wait wait -> {}
      case Decision.Refuse refuse -> {}
    }
  }
}

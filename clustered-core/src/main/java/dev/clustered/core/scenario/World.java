// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.CarriedOut;
import dev.clustered.core.plan.CoolDown;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Holding;
import dev.clustered.core.plan.LaunchView;
import dev.clustered.core.plan.Member;
import dev.clustered.core.plan.Need;
import dev.clustered.core.plan.NodeView;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.QueueUse;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.core.plan.Snapshot;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What there is: nodes, gangs, offers. Counts what everybody holds, and refuses to let anybody hold
 * what is not free. Not thread-safe.
 */
final class World {

  Instant now;
  PlanPolicy policy;
  final Map<NodeId, Machine> machines = new TreeMap<>();
  final Map<String, Offer> offers = new LinkedHashMap<>();
  final Map<LaunchId, LaunchView> launches = new TreeMap<>();
  final Map<ClusterId, RunningGang> running = new TreeMap<>();
  final List<CoolDown> coolDowns = new ArrayList<>();
  final List<QueueUse> uses = new ArrayList<>();
  final List<GangReader.Arrival> toCome = new ArrayList<>();
  private final Map<ClusterId, GangRequest> waiting = new LinkedHashMap<>();
  private final Map<ClusterId, Integer> arrivals = new TreeMap<>();
  private final Map<ClusterId, Duration> runs = new TreeMap<>();
  private int launched;

  World(Instant now, PlanPolicy policy) {
    this.now = now;
    this.policy = policy;
  }

  /** A world without anything. */
  static World empty(Instant now) {
    return new World(now, new PlanPolicy(Duration.ZERO));
  }

  /** Another world as this one is now. */
  World copy() {
    World copy = new World(now, policy);
    copy.machines.putAll(machines);
    copy.offers.putAll(offers);
    copy.launches.putAll(launches);
    copy.running.putAll(running);
    copy.coolDowns.addAll(coolDowns);
    copy.uses.addAll(uses);
    copy.toCome.addAll(toCome);
    copy.waiting.putAll(waiting);
    copy.arrivals.putAll(arrivals);
    copy.runs.putAll(runs);
    copy.launched = launched;
    return copy;
  }

  Machine machine(NodeId id) {
    Machine machine = machines.get(id);
    if (machine == null) {
      throw new IllegalArgumentException("there is no node " + id);
    }
    return machine;
  }

  RunningGang running(ClusterId id) {
    RunningGang gang = running.get(id);
    if (gang == null) {
      throw new IllegalArgumentException(
          "no gang %s runs; there are %s".formatted(id, running.keySet()));
    }
    return gang;
  }

  GangRequest waiting(ClusterId id) {
    GangRequest gang = waiting.get(id);
    if (gang == null) {
      throw new IllegalArgumentException(
          "no gang %s waits; there are %s".formatted(id, waiting.keySet()));
    }
    return gang;
  }

  /** A gang waits from now on, at the place in the queue that it had if it was there before. */
  void waits(GangRequest gang) {
    arrivals.putIfAbsent(gang.id(), arrivals.size());
    waiting.put(gang.id(), gang);
  }

  /** A gang is known, but does not wait. */
  void knows(ClusterId gang, Optional<Duration> time) {
    arrivals.putIfAbsent(gang, arrivals.size());
    time.ifPresent(known -> runs.put(gang, known));
  }

  Optional<Duration> runs(ClusterId gang) {
    return Optional.ofNullable(runs.get(gang));
  }

  boolean known(ClusterId gang) {
    return arrivals.containsKey(gang);
  }

  boolean isWaiting(ClusterId gang) {
    return waiting.containsKey(gang);
  }

  void waitsNoMore(ClusterId gang) {
    waiting.remove(gang);
  }

  /** In the order of arrival. */
  List<GangRequest> waiting() {
    return waiting.values().stream()
        .sorted(
            Comparator.comparing(GangRequest::queuedAt)
                .thenComparing(gang -> arrivals.getOrDefault(gang.id(), 0)))
        .toList();
  }

  LaunchId nextLaunch(ClusterId gang) {
    launched++;
    return new LaunchId("launch-" + launched + "-" + gang);
  }

  /** What a rank takes of a node. */
  static Resources takes(Need need, Machine machine) {
    return need.each().isEmpty() || need.rdma().isPresent()
        ? machine.shape().resources()
        : need.each().get();
  }

  /** Everything that anybody holds of a node, gang by gang. */
  private Map<NodeId, List<Map.Entry<ClusterId, Holding>>> held() {
    Map<NodeId, List<Map.Entry<ClusterId, Holding>>> held = new TreeMap<>();
    running.values().stream()
        .flatMap(gang -> holdings(gang).map(holding -> Map.entry(gang.id(), holding)))
        .forEach(e -> held.computeIfAbsent(e.getValue().node(), n -> new ArrayList<>()).add(e));
    return held;
  }

  static Stream<Holding> holdings(RunningGang gang) {
    return Stream.concat(gang.members().stream().map(Member::at), gang.spares().stream());
  }

  private NodeView view(Machine machine, List<Map.Entry<ClusterId, Holding>> held) {
    Resources free = less(machine, machine.shape().resources(), machine.used());
    TreeSet<Integer> gpus = new TreeSet<>();
    IntStream.range(machine.used().gpus(), machine.shape().resources().gpus()).forEach(gpus::add);
    TreeSet<ClusterId> holders = new TreeSet<>();
    for (Map.Entry<ClusterId, Holding> entry : held) {
      free = less(machine, free, entry.getValue().takes());
      holders.add(entry.getKey());
      for (int gpu : entry.getValue().gpus()) {
        if (!gpus.remove(gpu)) {
          throw new IllegalArgumentException(
              "GPU %d of node %s is given to two, or there is none: to %s"
                  .formatted(gpu, machine.id(), holders));
        }
      }
    }
    int others = machine.used().equals(none(machine)) ? 0 : 1;
    return new NodeView(
        machine.id(),
        machine.backend(),
        machine.shape(),
        machine.topology(),
        free,
        machine.health(),
        List.copyOf(gpus),
        holders.size() + others,
        holders.isEmpty() && others == 0 ? machine.idleSince() : Optional.empty(),
        machine.launch(),
        machine.unit(),
        machine.attributes(),
        machine.taints());
  }

  /** Nothing of a node. */
  static Resources none(Machine machine) {
    return machine.shape().resources().minus(machine.shape().resources());
  }

  private static Resources less(Machine machine, Resources free, Resources part) {
    if (!free.holds(part)) {
      throw new IllegalArgumentException(
          "node %s has %s left, and %s of it are given away".formatted(machine.id(), free, part));
    }
    return free.minus(part);
  }

  /** Notes since when nodes are idle. To be called after every change. */
  void settle() {
    Map<NodeId, List<Map.Entry<ClusterId, Holding>>> held = held();
    for (NodeId node : held.keySet()) {
      if (!machines.containsKey(node)) {
        throw new IllegalArgumentException("node " + node + " is held and does not exist");
      }
    }
    for (Machine machine : List.copyOf(machines.values())) {
      boolean busy = held.containsKey(machine.id()) || !machine.used().equals(none(machine));
      Optional<Instant> since =
          busy ? Optional.empty() : Optional.of(machine.idleSince().orElse(now));
      if (!since.equals(machine.idleSince())) {
        machines.put(machine.id(), machine.idle(since));
      }
    }
  }

  /**
   * What the planner sees of it.
   *
   * @throws IllegalArgumentException when more is held of a node than it has
   */
  Snapshot snapshot() {
    settle();
    Map<NodeId, List<Map.Entry<ClusterId, Holding>>> held = held();
    return new Snapshot(
        now,
        machines.values().stream()
            .map(machine -> view(machine, held.getOrDefault(machine.id(), List.of())))
            .toList(),
        List.copyOf(launches.values()),
        List.copyOf(offers.values()),
        waiting(),
        List.copyOf(coolDowns),
        policy,
        List.copyOf(running.values()),
        List.copyOf(uses));
  }

  /** Time passes, and who was to come until then has come. */
  void advance(Instant to) {
    now = to;
    for (GangReader.Arrival arrival : List.copyOf(toCome)) {
      if (!arrival.at().isAfter(to)) {
        toCome.remove(arrival);
        knows(arrival.gang().id(), arrival.runs());
        waits(arrival.gang());
      }
    }
  }

  /** A gang has come, or is to come later. */
  void arrives(GangReader.Arrival arrival) {
    ClusterId gang = arrival.gang().id();
    if (isWaiting(gang) || toCome.stream().anyMatch(other -> other.gang().id().equals(gang))) {
      throw new IllegalArgumentException("gang " + gang + " waits already, or is to come");
    }
    toCome.add(arrival);
    advance(now);
  }

  /** A gang that ran has no nodes any more. */
  RunningGang ended(ClusterId id) {
    RunningGang gang = running(id);
    running.remove(id);
    settle();
    return gang;
  }

  /** The ranks of a gang that were told to go, or have moved, hold their old nodes no more. */
  void left(ClusterId id) {
    RunningGang gang = running(id);
    if (gang.members().stream().noneMatch(Member::leaving)) {
      throw new IllegalArgumentException(
          "no rank of gang %s was told to go, or has moved".formatted(id));
    }
    running.put(id, CarriedOut.left(gang));
    settle();
  }

  /** A gang that ran has no nodes any more, and waits at its old place. */
  void returns(ClusterId id) {
    if (running(id).phase() != RunningGang.Phase.ENDING) {
      throw new IllegalArgumentException("gang %s was not told to end".formatted(id));
    }
    waits(ended(id).request());
  }
}

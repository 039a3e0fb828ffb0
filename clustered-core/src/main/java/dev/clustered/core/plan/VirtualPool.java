// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A pool in which time goes on and plans are carried out, by what is known: gangs end when they are
 * expected to, launches come when their offer's boot time is over, nobody new arrives. Not
 * thread-safe.
 */
final class VirtualPool {

  private static final Comparator<GangRequest> BY_COMING =
      Comparator.comparing(GangRequest::queuedAt);

  private final Scheduler scheduler;
  private final Duration leaving;
  private final VirtualGangs gangs;
  private final Map<ClusterId, GangRequest> waiting = new LinkedHashMap<>();
  private final Map<ClusterId, Integer> arrivals = new TreeMap<>();
  private final Map<LaunchId, LaunchView> launches = new TreeMap<>();
  private final Map<ClusterId, Instant> leaves = new TreeMap<>();

  /** The launches of which all nodes are ready. */
  private final Set<LaunchId> come = new TreeSet<>();

  /** The names of the nodes that there were at first. */
  private final Set<NodeId> known = new TreeSet<>();

  /** Those that have run for too long for anybody to know when they end. */
  private final Set<ClusterId> endless = new TreeSet<>();

  private List<Offer> offers;
  private List<CoolDown> coolDowns;
  private List<QueueUse> uses;
  private PlanPolicy policy;
  private Instant now;
  private int launched;
  private int fresh;

  /**
   * A pool as it is.
   *
   * @param leaving how long those that are ended or moved for others take to leave their nodes
   */
  VirtualPool(Snapshot snapshot, Duration leaving) {
    this.scheduler = new Scheduler(snapshot.policy());
    this.leaving = leaving;
    this.now = snapshot.now();
    this.policy = snapshot.policy();
    this.offers = snapshot.offers();
    this.coolDowns = snapshot.coolDowns();
    this.uses =
        snapshot.uses().stream().map(use -> use.at(now, policy.queues().halfLife())).toList();
    this.gangs = new VirtualGangs(scheduler);
    snapshot.running().forEach(this::has);
    snapshot.nodes().forEach(scheduler::node);
    snapshot.nodes().forEach(node -> known.add(node.id()));
    snapshot.launches().forEach(launch -> launches.put(launch.id(), launch));
    for (GangRequest gang : snapshot.waiting()) {
      arrivals.put(gang.id(), arrivals.size());
      waits(gang);
    }
    tell();
  }

  Instant now() {
    return now;
  }

  Plan plan() {
    return scheduler.plan(now);
  }

  private void has(RunningGang gang) {
    gangs.put(gang);
    boolean goes = gang.phase() == RunningGang.Phase.ENDING;
    if (goes || gang.members().stream().anyMatch(Member::leaving)) {
      leaves.put(gang.id(), now.plus(leaving));
    }
    if (gang.expectedEnd().filter(this::overdue).isPresent()) {
      endless.add(gang.id());
    }
  }

  private boolean overdue(Instant expected) {
    return expected.plus(policy.backfill().overdue()).isBefore(now);
  }

  private void waits(GangRequest gang) {
    waiting.put(gang.id(), gang);
    scheduler.waits(gang);
  }

  private void waitsNoMore(ClusterId gang) {
    waiting.remove(gang);
    scheduler.served(gang);
  }

  /** Capacity and use as they are now. */
  private void tell() {
    scheduler.capacity(List.copyOf(launches.values()), offers, coolDowns);
    scheduler.used(uses);
    scheduler.policy(policy);
  }

  // ---- what a plan decides

  /** Does what a plan of this moment says. */
  void carryOut(Plan plan) {
    List<LaunchView> late = launches.values().stream().filter(l -> l.late(now)).toList();
    plan.decisions().forEach(this::carryOut);
    late.forEach(this::settle);
    tell();
  }

  private void carryOut(Decision decision) {
    switch (decision) {
      case Decision.Place place -> place(place);
      case Decision.Launch launch -> launch(launch);
      case Decision.Preempt preempt -> preempt(preempt);
      case Decision.Migrate migrate -> migrate(migrate);
      case Decision.Replace replace -> gangs.replace(replace);
      case Decision.Resize resize -> gangs.keepOnly(resize);
      case Decision.Grow grow -> gangs.grow(grow);
      case Decision.Requeue requeue -> {
        gangs.requeue(requeue.gang());
        leaves.put(requeue.gang(), now.plus(leaving));
      }
      case Decision.Release release -> release(release);
      case Decision.Wait wait -> {}
      case Decision.Refuse refuse -> waitsNoMore(refuse.gang());
    }
  }

  private GangRequest request(ClusterId gang) {
    return Objects.requireNonNull(waiting.get(gang), () -> "no gang " + gang + " waits");
  }

  private void place(Decision.Place place) {
    GangRequest gang = request(place.gang());
    waitsNoMore(place.gang());
    launches.values().removeIf(launch -> launch.gang().equals(place.gang()));
    gangs.place(gang, place, now);
  }

  private void launch(Decision.Launch launch) {
    LaunchId id = nextLaunch();
    launches.put(
        id, new LaunchView(id, launch.gang(), launch.offer(), launch.nodes(), Optional.of(now)));
    offer(launch.offer(), -launch.nodes());
  }

  private LaunchId nextLaunch() {
    LaunchId id;
    do {
      launched++;
      id = new LaunchId("forecast-" + launched);
    } while (launches.containsKey(id));
    return id;
  }

  /** What a zone has is taken to be one limit for all its shapes, as the planner takes it. */
  private void offer(Offer of, int more) {
    offers = offers.stream().map(o -> sameZone(o, of) ? available(o, more) : o).toList();
  }

  private static boolean sameZone(Offer one, Offer other) {
    return Site.of(one).inZone().equals(Site.of(other).inZone());
  }

  private static Offer available(Offer offer, int more) {
    if (offer.available() == Supply.UNKNOWN) {
      return offer;
    }
    return new Offer(
        offer.backend(),
        offer.shape(),
        offer.zone(),
        offer.market(),
        offer.hourlyPrice(),
        offer.bootTime(),
        Math.max(0, offer.available() + more));
  }

  private void preempt(Decision.Preempt preempt) {
    for (ClusterId victim : preempt.victims()) {
      gangs.endsFor(victim, preempt.gang());
      leaves.put(victim, now.plus(leaving));
    }
    for (Decision.Shrink shrink : preempt.shrinks()) {
      gangs.leave(shrink);
      leaves.put(shrink.gang(), now.plus(leaving));
    }
    waits(request(preempt.gang()).withClaim(preempt.claim()));
  }

  private void migrate(Decision.Migrate migrate) {
    for (Decision.Move move : migrate.moves()) {
      gangs.move(move);
      leaves.put(move.gang(), now.plus(leaving));
    }
    waits(request(migrate.gang()).withClaim(migrate.claim()));
    PlanPolicy.Migration moves = policy.migration();
    policy =
        policy.withMigration(
            new PlanPolicy.Migration(
                moves.enabled(), moves.mostCost(), moves.every(), Optional.of(now)));
  }

  private void release(Decision.Release release) {
    Set<NodeId> gone = new TreeSet<>(release.nodes());
    for (NodeView node : List.copyOf(scheduler.nodes())) {
      if (gone.contains(node.id())) {
        scheduler.forget(node.id());
        offers.stream()
            .filter(offer -> Site.of(offer).equals(node.site()))
            .findFirst()
            .ifPresent(offer -> offer(offer, 1));
      }
    }
  }

  /** A late launch is over: what it brought stays or was given back, and its zone is left alone. */
  private void settle(LaunchView launch) {
    boolean stays =
        policy.launching().late() == PlanPolicy.Launching.Late.KEEP
            && launch.offer().shape().rdmaGigabits() == 0
            && launch.granted() > 0;
    launches.remove(launch.id());
    if (stays) {
      launches.put(launch.id(), whole(launch, launch.granted()));
      return;
    }
    List<CoolDown> more = new ArrayList<>(coolDowns);
    more.add(
        new CoolDown(
            launch.offer().backend(),
            launch.offer().zone(),
            launch.offer().shape().name(),
            launch.deadline().orElse(now).plus(policy.launching().coolDown(1)),
            "%d of %d nodes came".formatted(launch.granted(), launch.nodes())));
    coolDowns = more;
  }

  private static LaunchView whole(LaunchView launch, int nodes) {
    return new LaunchView(
        launch.id(),
        launch.gang(),
        launch.offer(),
        nodes,
        launch.decidedAt(),
        nodes,
        Optional.empty());
  }

  // ---- what time brings

  /** Goes on to the next moment of which anything is known; false when there is none. */
  boolean advance() {
    Optional<Instant> next =
        Stream.of(
                scheduler.nextMoment(now).stream(),
                gangs.running().stream().flatMap(gang -> end(gang).stream()),
                leaves.values().stream(),
                launches.values().stream().flatMap(launch -> ready(launch).stream()))
            .flatMap(moments -> moments)
            .min(Comparator.naturalOrder());
    next.ifPresent(this::happen);
    return next.isPresent();
  }

  /** When a gang ends by itself. */
  private Optional<Instant> end(RunningGang gang) {
    return endless.contains(gang.id()) ? Optional.empty() : gang.expectedEnd();
  }

  /** When the nodes of a launch that are not there yet will be. */
  private Optional<Instant> ready(LaunchView launch) {
    return launch
        .decidedAt()
        .filter(at -> !come.contains(launch.id()))
        .map(at -> at.plus(launch.offer().bootTime()))
        .filter(at -> !overdue(at) && launch.deadline().filter(at::isAfter).isEmpty());
  }

  private void happen(Instant at) {
    Instant then = at.isBefore(now) ? now : at;
    uses = gangs.uses(uses, then, policy.queues().halfLife());
    now = then;
    for (RunningGang gang : List.copyOf(gangs.running())) {
      if (end(gang).filter(end -> !end.isAfter(now)).isPresent()) {
        leaves.remove(gang.id());
        gangs.ended(gang.id(), now);
      }
    }
    for (Map.Entry<ClusterId, Instant> leave : new TreeMap<>(leaves).entrySet()) {
      if (!leave.getValue().isAfter(now)) {
        leaves.remove(leave.getKey());
        gangs.left(leave.getKey(), now).ifPresent(this::returns);
      }
    }
    for (LaunchView launch : List.copyOf(launches.values())) {
      if (ready(launch).filter(end -> !end.isAfter(now)).isPresent()) {
        come(launch);
      }
    }
    tell();
  }

  /** A gang waits again, at its old place: before those that have come since. */
  private void returns(GangRequest gang) {
    arrivals.putIfAbsent(gang.id(), -1);
    waiting.put(gang.id(), gang);
    List<GangRequest> all = new ArrayList<>(waiting.values());
    all.sort(
        BY_COMING
            .thenComparing(g -> arrivals.getOrDefault(g.id(), -1))
            .thenComparing(GangRequest::id));
    all.forEach(other -> waitsNoMore(other.id()));
    all.forEach(this::waits);
  }

  /** All nodes of a launch are ready, on one fabric. */
  private void come(LaunchView launch) {
    List<NodeView> there =
        scheduler.nodes().stream().filter(node -> node.launch().equals(launch.id())).toList();
    for (NodeView node : there) {
      if (node.health() == NodeHealth.BOOTING) {
        scheduler.node(node.in(NodeHealth.READY));
      }
    }
    String fabric = there.stream().map(NodeView::fabric).findFirst().orElse(launch.id().value());
    for (int i = there.size(); i < launch.nodes(); i++) {
      scheduler.node(fresh(launch, fabric));
    }
    come.add(launch.id());
    launches.put(launch.id(), whole(launch, launch.nodes()));
    if (!waiting.containsKey(launch.gang())) {
      launches.remove(launch.id());
      gangs.bring(launch);
    }
  }

  private NodeId nextNode() {
    NodeId id;
    do {
      fresh++;
      id = new NodeId("forecast-" + fresh);
    } while (known.contains(id));
    return id;
  }

  private NodeView fresh(LaunchView launch, String fabric) {
    NodeId id = nextNode();
    Offer offer = launch.offer();
    Resources all = offer.shape().resources();
    String on = fabric.isEmpty() ? launch.id().value() : fabric;
    return new NodeView(
        id,
        offer.backend(),
        offer.shape(),
        TopologyPath.of(
            TopologyPath.ZONE, offer.zone(), TopologyPath.FABRIC, on, "host", id.value()),
        all,
        NodeHealth.READY,
        IntStream.range(0, all.gpus()).boxed().toList(),
        0,
        Optional.of(now),
        launch.id(),
        false,
        Collections.emptyMap(),
        Collections.emptySet());
  }
}

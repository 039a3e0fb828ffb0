// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Planner;
import dev.clustered.core.plan.Snapshot;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** When the planner is asked, with what, and what its decisions become. Owned by the loop. */
final class Scheduling {

  private static final Logger log = LoggerFactory.getLogger(Scheduling.class);

  /** How old offers may be while somebody waits for them. */
  private static final Duration OFFER_AGE = Duration.ofSeconds(5);

  /** How old offers may be while somebody does without a spare. */
  private static final Duration SPARE_OFFER_AGE = Duration.ofSeconds(30);

  /** How soon a backend that could not be asked is asked again. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(1);

  private final EngineCore core;
  private final EngineConfig config;
  private final Ids ids;
  private final Timers timers;
  private final Alarm offersAge;
  private final Alarm askAgain;
  private final Alarm idleNodes;
  private final Alarm spareOffers;
  private final SoundNodes soundNodes =
      new SoundNodes(why -> log.warn("A node is left out of all plans: {}", why));
  private Optional<KnownOffers> offers = Optional.empty();

  /** Grows whenever offers become out of date; an answer to an older question is none. */
  private long question;

  private boolean asked;
  private boolean dirty;

  /** Who wants to see a snapshot. */
  private final List<CompletableFuture<Preview.Sight>> curious = new ArrayList<>();

  Scheduling(EngineCore core, EngineConfig config, Ids ids, Timers timers) {
    this.core = core;
    this.config = config;
    this.ids = ids;
    this.timers = timers;
    this.offersAge = new Alarm(timers, this::refreshOffers);
    this.askAgain = new Alarm(timers, this::refreshOffers);
    this.idleNodes = new Alarm(timers, this::changed);
    this.spareOffers = new Alarm(timers, this::lookAgainForSpares);
  }

  /** Something that the plan depends on changed. */
  void changed() {
    dirty = true;
  }

  /** What could be launched has changed. */
  void offersChanged() {
    forgetOffers();
    dirty = true;
  }

  private void forgetOffers() {
    offers = Optional.empty();
    asked = false;
    question++;
  }

  void offersKnown(long answered, KnownOffers known) {
    if (answered != question) {
      return;
    }
    asked = false;
    offers = Optional.of(known);
    dirty = true;
    offersAge.after(OFFER_AGE);
    if (!known.unreachable().isEmpty()) {
      askAgain.after(ASK_AGAIN);
    }
  }

  private void refreshOffers() {
    forgetOffers();
    dirty = dirty || anybodyWaits();
  }

  private void lookAgainForSpares() {
    Instant now = core.now();
    if (core.state.clusters.values().stream().anyMatch(c -> Planning.lacksSpare(c, now))) {
      offersChanged();
    }
  }

  private boolean anybodyWaits() {
    return core.state.clusters.values().stream()
        .anyMatch(c -> Planning.waits(c.life) || Planning.lacksNode(c.life));
  }

  /** A launch failed: its zone is looked at again when it has cooled down. */
  void coolsDown() {
    forgetOffers();
    timers.after(StateChanges.COOL_DOWN.plusMillis(1), ignored -> changed());
  }

  /** Shows a snapshot to somebody, when offers are known and no launch is being decided. */
  void show(CompletableFuture<Preview.Sight> to) {
    curious.add(to);
  }

  /** Plans once if anything changed; without offers it asks for them first. */
  void plan() {
    if (dirty) {
      planAnew();
    }
    if (!curious.isEmpty()) {
      offers.ifPresentOrElse(this::show, this::askForOffers);
    }
  }

  private void show(KnownOffers known) {
    List<CompletableFuture<Preview.Sight>> all = List.copyOf(curious);
    curious.clear();
    try {
      Snapshot snapshot = snapshot(nodes().sound(), known, core.now());
      Preview.Sight sight = Preview.Sight.of(snapshot, known, core.state.nodes.values());
      core.effect(ignored -> all.forEach(one -> one.complete(sight)));
    } catch (IllegalArgumentException e) { // A backend offers what cannot be.
      all.forEach(one -> one.completeExceptionally(e));
    }
  }

  private void planAnew() {
    if (offers.isEmpty() && anybodyWaits()) {
      askForOffers();
      return;
    }
    dirty = false;
    Instant now = core.now();
    lookForSpares(now);
    KnownOffers known = offers.orElse(KnownOffers.NONE);
    core.state.coolDowns.removeIf(coolDown -> !coolDown.until().isAfter(now));
    SoundNodes.Apart nodes = nodes();
    core.endNodes(nodes.idle());
    Plan plan = Planner.plan(snapshot(nodes.sound(), known, now));
    plan.decisions().forEach(decision -> act(decision, known, now));
    if (config.idleNodeTime().isPositive() && !core.state.nodes.isEmpty()) {
      idleNodes.after(config.idleNodeTime().plusMillis(1));
    }
  }

  /** Nobody waits for spares, so that what could be launched is looked at rarely for them. */
  private void lookForSpares(Instant now) {
    if (core.state.clusters.values().stream().noneMatch(c -> Planning.lacksSpare(c, now))) {
      return;
    }
    if (offers.isEmpty()) {
      askForOffers(); // Until they are known, only a node that is idle can be a spare.
    }
    spareOffers.after(SPARE_OFFER_AGE);
  }

  /** The launch of a spare failed: what could be launched is looked at again after a rest. */
  void spareFailed(ClusterRecord cluster) {
    Duration rest = cluster.spares.failed(core.now());
    timers.after(rest.plusMillis(1), ignored -> changed());
  }

  private SoundNodes.Apart nodes() {
    return soundNodes.apart(core.state.nodes.values());
  }

  private Snapshot snapshot(List<NodeLife> nodes, KnownOffers known, Instant now) {
    return Planning.snapshot(core.state, nodes, known.offers(), config.idleNodeTime(), now);
  }

  private void askForOffers() {
    if (!asked) {
      asked = true;
      long current = question;
      core.effect(reach -> reach.offers(current));
    }
  }

  private void act(Decision decision, KnownOffers known, Instant now) {
    switch (decision) {
      case Decision.Place place -> place(place, now);
      case Decision.Launch launch -> launch(launch, now);
      case Decision.Release release -> core.endNodes(release.nodes());
      case Decision.Wait wait ->
          waits(new Fact.Waits(wait.gang(), now, wait.reasons(), wait.expectedStart()));
      case Decision.Refuse refuse -> refuse(refuse, known, now);
      case Decision.Replace replace -> replace(replace, now);
      case Decision.Requeue requeue ->
          core.record(new Fact.Requeued(requeue.gang(), now, requeue.reasons()));
      case Decision.Resize resize ->
          core.record(new Fact.Resized(resize.gang(), now, resize.ranks()));
      case Decision.Grow grow ->
          core.record(
              new Fact.Grown(grow.gang(), now, slots(grow.assignments()), slots(grow.spares())));
      // No gang of the engine's may be ended for another or moved.
      case Decision.Preempt unasked -> throw new IllegalStateException("unasked: " + unasked);
      case Decision.Migrate unasked -> throw new IllegalStateException("unasked: " + unasked);
    }
  }

  private void place(Decision.Place place, Instant now) {
    List<Fact.Slot> slots = new ArrayList<>(slots(place.assignments()));
    slots.addAll(slots(place.spares()));
    core.record(new Fact.Placed(place.gang(), now, slots));
  }

  private static List<Fact.Slot> slots(List<Decision.Assignment> assignments) {
    return assignments.stream().map(a -> new Fact.Slot(a.node(), a.gpus())).toList();
  }

  private void replace(Decision.Replace replace, Instant now) {
    List<Fact.Replacement> replacements =
        replace.replacements().stream().map(this::replacement).toList();
    core.record(new Fact.Replaced(replace.gang(), now, replacements));
  }

  private Fact.Replacement replacement(Decision.Replacement decided) {
    Decision.Assignment to = decided.to();
    boolean booted =
        core.state.node(to.node()).filter(node -> node.state() == PoolNode.State.READY).isPresent();
    return new Fact.Replacement(
        decided.rank() == Decision.Replacement.SPARE
            ? OptionalInt.empty()
            : OptionalInt.of(decided.rank()),
        decided.lost(),
        new Fact.Slot(to.node(), to.gpus()),
        booted);
  }

  private void launch(Decision.Launch decision, Instant now) {
    boolean rests =
        core.state
            .cluster(decision.gang())
            .filter(cluster -> cluster.life.lacksSpare() && !cluster.life.lacksNode())
            .filter(cluster -> cluster.spares.rests(now))
            .isPresent();
    if (rests) {
      return; // Such a launch failed just now.
    }
    LaunchId launch = ids.launch();
    List<NodeId> nodes = ids.nodes(launch, decision.nodes());
    Fact.LaunchDecided decided =
        new Fact.LaunchDecided(
            decision.gang(), now, launch, decision.offer(), nodes, decision.rdma());
    core.record(decided);
    core.effect(reach -> reach.launch(decided));
    forgetOffers();
  }

  /** Only what is new is a fact: a gang may wait through thousands of plans. */
  private void waits(Fact.Waits fact) {
    boolean known =
        core.state
            .cluster(fact.cluster())
            .map(cluster -> cluster.life)
            .filter(life -> life.waiting().equals(fact.reasons()))
            .map(ClusterLife::expectedStart)
            .filter(fact.expectedStart()::equals)
            .isPresent();
    if (!known) {
      core.record(fact);
    }
  }

  /** Nothing is impossible as long as a backend that might have it has not been heard. */
  private void refuse(Decision.Refuse refuse, KnownOffers known, Instant now) {
    Optional<String> bound =
        core.state.cluster(refuse.gang()).flatMap(cluster -> cluster.life.request().backend());
    List<WaitReason> unheard = known.unheard(bound);
    if (unheard.isEmpty()) {
      core.record(new Fact.Refused(refuse.gang(), now, refuse.code(), refuse.message()));
    } else {
      waits(new Fact.Waits(refuse.gang(), now, unheard, Optional.empty()));
    }
  }
}

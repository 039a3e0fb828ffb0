// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.plan.CoolDown;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Planner;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** When the planner is asked, with what, and what its decisions become. Owned by the loop. */
final class Scheduling {

  /** How long a zone and shape is left alone after it had no capacity. */
  private static final Duration COOL_DOWN = Duration.ofSeconds(5);

  /** How old offers may be while somebody waits for them. */
  private static final Duration OFFER_AGE = Duration.ofSeconds(5);

  private final EngineCore core;
  private final EngineConfig config;
  private final Ids ids;
  private final Timers timers;
  private Optional<List<Offer>> offers = Optional.empty();
  private boolean asking;
  private boolean dirty;

  Scheduling(EngineCore core, EngineConfig config, Ids ids, Timers timers) {
    this.core = core;
    this.config = config;
    this.ids = ids;
    this.timers = timers;
  }

  /** Something that the plan depends on changed. */
  void changed() {
    dirty = true;
  }

  /** What could be launched has changed. */
  void offersChanged() {
    offers = Optional.empty();
    dirty = true;
  }

  void offersKnown(List<Offer> known) {
    asking = false;
    offers = Optional.of(List.copyOf(known));
    dirty = true;
    timers.after(OFFER_AGE, ignored -> refresh());
  }

  private void refresh() {
    if (anybodyWaits()) {
      offersChanged();
    } else {
      offers = Optional.empty();
    }
  }

  private boolean anybodyWaits() {
    return core.state.clusters.values().stream().anyMatch(c -> Planning.waits(c.life));
  }

  void coolDown(Fact.LaunchDecided decided, String failure) {
    Offer offer = decided.offer();
    Instant until = core.now().plus(COOL_DOWN);
    core.state.coolDowns.add(
        new CoolDown(offer.backend(), offer.zone(), offer.shape().name(), until, failure));
    offers = Optional.empty();
    timers.after(COOL_DOWN.plusMillis(1), ignored -> changed());
  }

  /** Plans once if anything changed; without offers it asks for them first. */
  void plan() {
    if (!dirty) {
      return;
    }
    boolean waiting = anybodyWaits();
    if (waiting && offers.isEmpty()) {
      askForOffers();
      return;
    }
    dirty = false;
    Instant now = core.now();
    core.state.coolDowns.removeIf(coolDown -> !coolDown.until().isAfter(now));
    Plan plan =
        Planner.plan(
            Planning.snapshot(core.state, offers.orElse(List.of()), config.idleNodeTime(), now));
    plan.decisions().forEach(decision -> act(decision, now));
    if (config.idleNodeTime().isPositive() && !core.state.nodes.isEmpty()) {
      timers.after(config.idleNodeTime().plusMillis(1), ignored -> changed());
    }
  }

  private void askForOffers() {
    if (!asking) {
      asking = true;
      core.effect(Effects::offers);
    }
  }

  private void act(Decision decision, Instant now) {
    switch (decision) {
      case Decision.Place place ->
          core.record(
              new Fact.Placed(
                  place.gang(),
                  now,
                  place.assignments().stream()
                      .map(a -> new Fact.Slot(a.node(), a.gpus()))
                      .toList()));
      case Decision.Launch launch -> launch(launch, now);
      case Decision.Release release -> core.endNodes(release.nodes());
      case Decision.Wait wait ->
          core.record(new Fact.Waits(wait.gang(), now, wait.reasons(), wait.expectedStart()));
      case Decision.Refuse refuse -> refuse(refuse, now);
    }
  }

  private void launch(Decision.Launch decision, Instant now) {
    LaunchId launch = ids.launch();
    List<NodeId> nodes = ids.nodes(launch, decision.nodes());
    Fact.LaunchDecided decided =
        new Fact.LaunchDecided(
            decision.gang(), now, launch, decision.offer(), nodes, decision.rdma());
    core.state.launches.put(launch, decided);
    core.record(decided);
    core.effect(reach -> reach.launch(decided));
    offers = Optional.empty();
  }

  private void refuse(Decision.Refuse refuse, Instant now) {
    ErrorCode code = refuse.code();
    core.record(new Fact.Refused(refuse.gang(), now, code, refuse.message()));
  }
}

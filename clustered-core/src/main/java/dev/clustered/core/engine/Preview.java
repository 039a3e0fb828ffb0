// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.Outlook;
import dev.clustered.core.plan.Snapshot;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.LaunchPreview.Nodes;
import dev.clustered.model.LaunchPreview.Outcome;
import dev.clustered.model.LaunchPreview.Refusal;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What would become of a launch, by the engine's own snapshot and the planner. */
final class Preview {

  private final Sight sight;
  private final Fact.Submitted launch;
  private final Map<Offer, Integer> nodes = new LinkedHashMap<>();

  /**
   * What the engine saw at one moment. Immutable.
   *
   * @param held as what each node of the pool was launched
   */
  record Sight(Snapshot snapshot, KnownOffers known, Map<NodeId, Offer> held) {

    static Sight of(Snapshot snapshot, KnownOffers known, Collection<NodeLife> pool) {
      Map<NodeId, Offer> held = new TreeMap<>();
      pool.forEach(node -> held.put(node.id(), node.offer()));
      return new Sight(snapshot, known, held);
    }
  }

  private Preview(Sight sight, Fact.Submitted launch) {
    this.sight = sight;
    this.launch = launch;
  }

  static LaunchPreview of(Sight sight, Fact.Submitted launch) {
    return new Preview(sight, launch).preview();
  }

  private LaunchPreview preview() {
    Snapshot snapshot = Planning.with(sight.snapshot(), launch);
    Outlook outlook = Outlook.of(snapshot, launch.cluster());
    Outcome outcome = Outcome.WAIT;
    List<WaitReason> reasons = new ArrayList<>(outlook.reasons());
    Optional<Refusal> refusal = Optional.empty();
    Optional<Duration> bootTime = Optional.empty();
    for (Decision decision : outlook.decisions()) {
      switch (decision) {
        case Decision.Place place -> {
          outcome = Outcome.PLACE;
          hold(
              Stream.concat(place.assignments().stream(), place.spares().stream())
                  .map(Decision.Assignment::node));
        }
        case Decision.Launch launched -> {
          outcome = Outcome.LAUNCH;
          nodes.merge(launched.offer(), launched.nodes(), Integer::sum);
          Duration boot = launched.offer().bootTime();
          bootTime =
              bootTime.filter(other -> other.compareTo(boot) > 0).or(() -> Optional.of(boot));
        }
        case Decision.Migrate migrate -> {
          outcome = Outcome.MIGRATE;
          hold(migrate.claim().nodes().stream());
        }
        case Decision.Preempt preempt -> {
          outcome = Outcome.PREEMPT;
          hold(preempt.claim().nodes().stream());
        }
        case Decision.Refuse refuse -> {
          List<WaitReason> unheard = sight.known().unheard(launch.backend());
          reasons.addAll(unheard);
          if (unheard.isEmpty()) {
            outcome = Outcome.REFUSE;
            refusal = Optional.of(new Refusal(refuse.code(), refuse.message()));
          }
        }
        default -> {}
      }
    }
    return new LaunchPreview(
        outcome,
        shapes(),
        price(),
        bootTime,
        outlook.expectedStart(),
        reasons,
        refusal,
        outlook.change());
  }

  /** Counts each node once. */
  private void hold(Stream<NodeId> some) {
    LinkedHashSet<NodeId> once = new LinkedHashSet<>();
    some.forEach(once::add);
    for (NodeId node : once) {
      Optional.ofNullable(sight.held().get(node))
          .ifPresent(offer -> nodes.merge(offer, 1, Integer::sum));
    }
  }

  private List<Nodes> shapes() {
    List<Nodes> shapes = new ArrayList<>();
    nodes.forEach(
        (offer, count) ->
            shapes.add(
                new Nodes(
                    offer.backend(),
                    offer.zone(),
                    offer.shape().name(),
                    count,
                    offer.hourlyPrice())));
    return shapes;
  }

  private BigDecimal price() {
    BigDecimal price = BigDecimal.ZERO;
    for (Map.Entry<Offer, Integer> entry : nodes.entrySet()) {
      price = price.add(entry.getKey().hourlyPrice().multiply(new BigDecimal(entry.getValue())));
    }
    return price;
  }
}

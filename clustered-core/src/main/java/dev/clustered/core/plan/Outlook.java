// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.StartChange;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that can be said of a gang that waits: what is done for it now, why it is no more,
 * when it will start, and what would let it start now. Found on demand, by many plans; one plan
 * says only what it knows by itself. Immutable and thread-safe.
 *
 * @param decisions what the plan does for the gang: mostly one, several launches for one that needs
 *     several shapes
 * @param reasons why it waits, with numbers; empty when it does not
 * @param expectedStart when it will have its nodes, by {@link Forecast}, else as the plan says; now
 *     for a gang that is placed
 * @param change the cheapest change with which it would start now, by {@link Counterfactual}
 */
public record Outlook(
    List<Decision> decisions,
    List<WaitReason> reasons,
    Optional<Instant> expectedStart,
    Optional<StartChange> change) {

  public Outlook {
    decisions = List.copyOf(decisions);
    reasons = List.copyOf(reasons);
  }

  /**
   * The outlook of a gang.
   *
   * @throws IllegalArgumentException when it does not wait in the snapshot, or when the snapshot
   *     contradicts itself
   */
  public static Outlook of(Snapshot snapshot, ClusterId gang) {
    if (snapshot.waiting().stream().noneMatch(one -> one.id().equals(gang))) {
      throw new IllegalArgumentException("no gang " + gang + " waits");
    }
    Plan plan = Planner.plan(snapshot);
    Map<ClusterId, Instant> starts =
        Forecast.of(snapshot, List.of(gang), Duration.ZERO, Forecast.MOST_PLANS);
    return of(snapshot, gang, plan, Optional.ofNullable(starts.get(gang)));
  }

  /**
   * The same, when the rest of it is known already.
   *
   * @param plan that for the snapshot
   * @param start what was forecast
   */
  public static Outlook of(Snapshot snapshot, ClusterId gang, Plan plan, Optional<Instant> start) {
    List<Decision> decisions =
        plan.decisions().stream().filter(decision -> Trials.isFor(decision, gang)).toList();
    List<WaitReason> reasons =
        decisions.stream()
            .filter(Decision.Wait.class::isInstance)
            .flatMap(decision -> ((Decision.Wait) decision).reasons().stream())
            .toList();
    Optional<Instant> reserved =
        decisions.stream()
            .filter(Decision.Wait.class::isInstance)
            .flatMap(decision -> ((Decision.Wait) decision).expectedStart().stream())
            .findFirst();
    return new Outlook(
        decisions, reasons, start.or(() -> reserved), Counterfactual.of(snapshot, gang, plan));
  }
}

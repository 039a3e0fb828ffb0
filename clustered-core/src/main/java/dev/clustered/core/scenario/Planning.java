// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Planner;
import dev.clustered.core.plan.Snapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A plan, and what holds for every plan, whatever a file expects.
 *
 * @param broken why the plan is none: it cannot be carried out, or depends on the order of its
 *     input
 * @param restless what the next plan would do, although nothing has happened
 */
record Planning(Plan plan, List<String> broken, Optional<String> restless) {

  /** Plans for a world, which stays as it is. */
  static Planning of(World world) {
    Snapshot snapshot = world.snapshot();
    Plan plan = Planner.plan(snapshot);
    List<String> broken = new ArrayList<>();
    Plan other = Planner.plan(reversed(snapshot));
    if (!other.equals(plan)) {
      broken.add("the plan depends on the order of its input: %s, else %s".formatted(plan, other));
    }
    Optional<String> restless = Optional.empty();
    try {
      World after = world.copy();
      CarryingOut.of(plan, after);
      restless = restless(Planner.plan(after.snapshot()));
    } catch (IllegalArgumentException e) {
      broken.add("the plan cannot be carried out: " + e.getMessage());
    }
    return new Planning(plan, broken, restless);
  }

  private static Optional<String> restless(Plan next) {
    return next.decisions().stream()
        .filter(decision -> !(decision instanceof Decision.Wait))
        .findFirst()
        .map(
            decision ->
                "a second plan, with nothing new, would "
                    + String.join(";", Sentences.of(decision)));
  }

  private static Snapshot reversed(Snapshot snapshot) {
    return new Snapshot(
        snapshot.now(),
        reversed(snapshot.nodes()),
        reversed(snapshot.launches()),
        reversed(snapshot.offers()),
        snapshot.waiting(),
        reversed(snapshot.coolDowns()),
        snapshot.policy(),
        reversed(snapshot.running()),
        reversed(snapshot.uses()));
  }

  private static <T> List<T> reversed(List<T> list) {
    List<T> reversed = new ArrayList<>(list);
    Collections.reverse(reversed);
    return reversed;
  }
}

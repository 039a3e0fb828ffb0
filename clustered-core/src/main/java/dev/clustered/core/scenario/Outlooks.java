// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.Forecast;
import dev.clustered.core.plan.Outlook;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Snapshot;
import dev.clustered.model.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * When the gangs of a plan that neither get nor come will start, and what would let them start now.
 *
 * @param of gang by gang; nothing is said of those after the first {@value #MOST}
 */
record Outlooks(Map<ClusterId, Outlook> of) {

  /** For so many gangs of one plan. */
  static final int MOST = 8;

  static final Outlooks NONE = new Outlooks(new TreeMap<>());

  static Outlooks of(Snapshot snapshot, Plan plan) {
    List<ClusterId> waiting = new ArrayList<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Wait || decision instanceof Decision.Refuse) {
        ClusterId gang = Sentences.gang(decision).orElseThrow();
        if (waiting.size() < MOST
            && snapshot.waiting().stream().anyMatch(one -> one.id().equals(gang))) {
          waiting.add(gang);
        }
      }
    }
    Map<ClusterId, Instant> starts =
        waiting.isEmpty()
            ? new TreeMap<>()
            : Forecast.of(snapshot, waiting, Duration.ZERO, Forecast.MOST_PLANS);
    Map<ClusterId, Outlook> of = new TreeMap<>();
    for (ClusterId gang : waiting) {
      of.put(gang, Outlook.of(snapshot, gang, plan, Optional.ofNullable(starts.get(gang))));
    }
    return new Outlooks(of);
  }

  private Optional<Outlook> find(Decision decision) {
    return Sentences.gang(decision).flatMap(gang -> Optional.ofNullable(of.get(gang)));
  }

  /** A decision in words, with what more is known of its gang. */
  List<String> sentences(Decision decision) {
    Optional<Outlook> outlook = find(decision);
    Decision told = decision;
    if (decision instanceof Decision.Wait wait && outlook.isPresent()) {
      told = new Decision.Wait(wait.gang(), wait.reasons(), outlook.get().expectedStart());
    }
    List<String> lines = new ArrayList<>(Sentences.of(told));
    outlook.flatMap(Outlook::change).ifPresent(change -> lines.add("  " + change));
    return lines;
  }
}

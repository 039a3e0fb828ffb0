// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.Waiting.Arrival;
import dev.clustered.model.ClusterId;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What the gangs of a group were told last, in their order: plan after plan most of them are told
 * the same. Not thread-safe.
 */
final class Answers {

  private final List<Wait> told = new ArrayList<>();
  private List<WaitReason> reasons = List.of();

  /** How many of the first were told something and wait no more. */
  private int gone;

  /** A gang has come. */
  void comes(ClusterId gang, boolean asTheLast) {
    if (asTheLast && !told.isEmpty()) {
      told.add(wait(gang));
    } else {
      forget();
    }
  }

  /** A gang has left. */
  void leaves(boolean asTheFirst) {
    if (asTheFirst && gone < told.size()) {
      gone++;
    } else {
      forget();
    }
  }

  private void forget() {
    told.clear();
    gone = 0;
  }

  /** What all gangs are told when they wait for the same reasons. */
  List<Wait> of(Collection<Arrival> gangs, List<WaitReason> why) {
    boolean known = told.size() - gone == gangs.size() && reasons.equals(why);
    if (!known) {
      forget();
      reasons = why;
      gangs.forEach(arrival -> told.add(wait(arrival.gang().id())));
    } else if (gone > gangs.size()) {
      told.subList(0, gone).clear(); // So that they do not pile up.
      gone = 0;
    }
    return told.subList(gone, told.size());
  }

  private Wait wait(ClusterId gang) {
    return new Wait(gang, reasons, Optional.empty());
  }
}

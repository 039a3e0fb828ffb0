// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A scenario file.
 *
 * @param file its name
 * @param source where the story was told
 * @param story what it is about
 * @param start the world at first
 */
record Scenario(
    String file, Optional<String> source, Optional<String> story, World start, List<Step> steps) {

  /** What happens next, and what is expected then. */
  sealed interface Step {
    /** What it is about. */
    Optional<String> story();

    /** Whether something is expected of it. */
    boolean expects();
  }

  /**
   * Changes and one plan.
   *
   * @param carryOut whether the plan before was carried out
   * @param after how much time has passed
   * @param expected empty when nothing is said of the plan
   */
  record Turn(
      Optional<String> story,
      boolean carryOut,
      Duration after,
      List<Change> changes,
      Optional<PlanExpected> expected)
      implements Step {
    @Override
    public boolean expects() {
      return expected.isPresent();
    }
  }

  /**
   * A run of virtual time, with a plan whenever something happens.
   *
   * @param carryOut whether the plan before was carried out
   * @param time how long it goes on
   * @param drain how long those that are ended for others, or moved, take to leave
   */
  record Run(
      Optional<String> story,
      boolean carryOut,
      Duration time,
      Duration drain,
      Optional<HistoryExpected> expected)
      implements Step {
    @Override
    public boolean expects() {
      return expected.isPresent();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Plan;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What came of a scenario.
 *
 * @param file its name
 * @param story what it is about; empty when it does not say
 * @param turns its plans, one after the other
 * @param expects whether the file says what should come of it
 * @param error why it could not be read
 */
record Outcome(
    String file, String story, List<Turn> turns, boolean expects, Optional<String> error) {

  /**
   * One plan, or a run of virtual time.
   *
   * @param story what it is about; empty when the file does not say
   * @param changes what happened before
   * @param plan what was decided, in a run the last time
   * @param outlooks what more is known of gangs that wait
   * @param lines the same in words
   * @param unmet what should have been otherwise
   */
  record Turn(
      Instant now,
      String story,
      List<String> changes,
      Plan plan,
      Outlooks outlooks,
      List<String> lines,
      List<String> unmet) {}

  /** Everything that should have been otherwise. */
  List<String> unmet() {
    return turns.stream()
        .flatMap(turn -> turn.unmet().stream().map(text -> turn.now() + ": " + text))
        .toList();
  }

  /** A file that should be refused, whether it was or not. */
  static Outcome unread(String file, String story, List<String> lines, List<String> unmet) {
    Turn turn =
        new Turn(
            ScenarioReader.NOW, "", List.of(), new Plan(List.of()), Outlooks.NONE, lines, unmet);
    return new Outcome(file, story, List.of(turn), true, Optional.empty());
  }

  /** A file that could not be read. */
  static Outcome refused(String file, String error) {
    return new Outcome(file, "", List.of(), false, Optional.of(error));
  }

  /** Whether it was read, and nothing should have been otherwise. */
  boolean met() {
    return error.isEmpty() && unmet().isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Outlook;
import dev.clustered.model.ClusterId;
import dev.clustered.model.StartChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What should be known of a gang that waits or is refused, beside what the plan itself says.
 *
 * @param start when it should be forecast to start, where that is asked
 * @param change a text that the cheapest change should have, where that is asked; {@link #NONE} for
 *     no change
 */
record OutlookExpected(Optional<Wish.StartExpected> start, Optional<String> change) {

  /** Stands for the absence of a change. */
  static final String NONE = "none";

  /** What is refused does not start at any time. */
  static OutlookExpected ofRefused(Fields fields) {
    return new OutlookExpected(Optional.empty(), fields.optionalText("change"));
  }

  static OutlookExpected read(Fields fields) {
    return new OutlookExpected(
        Wish.StartExpected.read(fields, "start"), fields.optionalText("change"));
  }

  List<String> wrong(ClusterId gang, World world) {
    List<String> wrong = new ArrayList<>();
    if (start.isEmpty() && change.isEmpty()) {
      return wrong;
    }
    Outlook outlook = Outlook.of(world.snapshot(), gang);
    start.flatMap(expected -> expected.wrong(outlook.expectedStart())).ifPresent(wrong::add);
    String found = outlook.change().map(StartChange::toString).orElse(NONE);
    change
        .filter(expected -> expected.equals(NONE) ? !found.equals(NONE) : !found.contains(expected))
        .ifPresent(
            expected ->
                wrong.add("expected the change \"%s\", got \"%s\"".formatted(expected, found)));
    return wrong;
  }
}

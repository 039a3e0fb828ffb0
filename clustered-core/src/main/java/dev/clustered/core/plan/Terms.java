// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.time.Duration;
import java.util.Optional;

/**
 * On what terms a gang runs. Immutable and thread-safe.
 *
 * @param queue the queue that it is charged to; empty for the root of all queues
 * @param priority the higher goes first; 0 by default
 * @param preemptible whether it may be ended for a gang of a higher priority, or for one whose
 *     queue reclaims its share
 * @param timeLimit how long it runs at most, if that is known
 * @param moveCost the work that is lost when it is moved to other nodes; empty when it must not be
 */
public record Terms(
    String queue,
    int priority,
    boolean preemptible,
    Optional<Duration> timeLimit,
    Optional<Duration> moveCost) {

  /** Priority 0, not to be ended or moved, for as long as it takes. */
  public static final Terms DEFAULT = new Terms("", 0, false, Optional.empty(), Optional.empty());

  /** A thousand years: longer than anything runs, and short enough to be added to any time. */
  private static final Duration LONGEST = Duration.ofDays(365_000);

  private static boolean tooLong(Duration time) {
    return time.compareTo(LONGEST) > 0;
  }

  public Terms {
    if (timeLimit.filter(limit -> !limit.isPositive() || tooLong(limit)).isPresent()) {
      throw new IllegalArgumentException(
          "a time limit is longer than zero and no longer than %s; received: %s"
              .formatted(LONGEST, timeLimit.get()));
    }
    if (moveCost.filter(cost -> cost.isNegative() || tooLong(cost)).isPresent()) {
      throw new IllegalArgumentException(
          "the cost of a move is zero or more and no more than %s; received: %s"
              .formatted(LONGEST, moveCost.get()));
    }
  }

  /** The same in another queue. */
  public Terms withQueue(String other) {
    return new Terms(other, priority, preemptible, timeLimit, moveCost);
  }

  /** The same with another priority. */
  public Terms withPriority(int other) {
    return new Terms(queue, other, preemptible, timeLimit, moveCost);
  }

  /** The same, but it may be ended for others. */
  public Terms preemptibleByOthers() {
    return new Terms(queue, priority, true, timeLimit, moveCost);
  }

  /** The same with a time limit. */
  public Terms withTimeLimit(Duration limit) {
    return new Terms(queue, priority, preemptible, Optional.of(limit), moveCost);
  }

  /** The same, but it may be moved at this cost. */
  public Terms withMoveCost(Duration lost) {
    return new Terms(queue, priority, preemptible, timeLimit, Optional.of(lost));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How long a cluster goes on without trying to get a spare again, after launches of spares that
 * failed: nothing waits for them. Owned by the loop.
 */
final class SpareRest {

  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private Duration next = FIRST;
  private Optional<Instant> until = Optional.empty();

  /** Whether none is to be tried at a time. */
  boolean rests(Instant now) {
    return until.filter(now::isBefore).isPresent();
  }

  /**
   * A launch failed: each time in a row the rest is twice as long, up to five minutes.
   *
   * @return how long it is
   */
  Duration failed(Instant now) {
    Duration rest = next;
    until = Optional.of(now.plus(rest));
    Duration twice = next.multipliedBy(2);
    next = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
    return rest;
  }

  /** A launch was granted. */
  void granted() {
    next = FIRST;
    until = Optional.empty();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.time.Duration;

/** Pauses that double from a first to a longest one, until something succeeds. Not thread-safe. */
final class Backoff {

  private static final Duration FIRST = Duration.ofMillis(50);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private Duration next = FIRST;

  /** The pause to make now; the one after it is longer. */
  Duration next() {
    Duration pause = next;
    Duration doubled = pause.multipliedBy(2);
    next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
    return pause;
  }

  void pause() throws InterruptedException {
    Thread.sleep(next());
  }

  void reset() {
    next = FIRST;
  }
}

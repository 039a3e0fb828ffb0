// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How long something is tried, with pauses that grow. Not thread-safe. */
final class Tries {

  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

  private final long limit;
  private final long begun = System.nanoTime();
  private long pause = FIRST_PAUSE;

  Tries(Duration limit) {
    this.limit = limit.toNanos();
  }

  /** Whether it was tried for long enough. */
  boolean over() {
    return System.nanoTime() - begun >= limit;
  }

  /** Waits before the next try; an interrupt ends the pause. */
  void pause() {
    LockSupport.parkNanos(pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting in tests: looks again and again until a deadline. */
final class Await {
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

  private Await() {}

  static void until(String what, Duration limit, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Not within " + limit + ": " + what);
      }
      LockSupport.parkNanos(PAUSE);
    }
  }
}

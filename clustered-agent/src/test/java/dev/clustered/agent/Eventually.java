// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition by looking again and again, up to a deadline. */
public final class Eventually {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(5);

  private Eventually() {}

  /** Returns once the condition is so. */
  public static void until(Supplier<String> what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within " + LIMIT + ": " + what.get());
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }
}

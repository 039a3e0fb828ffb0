// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long an agent may still run without an answer to a poll. Counted on a monotonic clock, which
 * nobody sets. Thread-safe.
 */
final class Lease {

  private final LongSupplier nanoTime;
  private final long length;
  private volatile long renewed;

  Lease(Duration length, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.length = length.toNanos();
    renewed = nanoTime.getAsLong();
  }

  void renew() {
    renewed = nanoTime.getAsLong();
  }

  /** The time left; negative once it is over. */
  Duration left() {
    return Duration.ofNanos(length - (nanoTime.getAsLong() - renewed));
  }

  boolean over() {
    return !left().isPositive();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until a test moves it. Thread-safe. */
public final class ManualClock implements InstantSource {

  private Instant now;

  private ManualClock(Instant start) {
    now = start;
  }

  /** A clock that stands at this moment. */
  public static ManualClock at(Instant start) {
    return new ManualClock(start);
  }

  @Override
  public synchronized Instant instant() {
    return now;
  }

  /**
   * Moves the clock on.
   *
   * @param time zero or more: this clock never goes back
   * @return the moment it stands at now
   */
  public synchronized Instant advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("a clock is advanced by zero or more; received: " + time);
    }
    now = now.plus(time);
    return now;
  }

  /** The moment it stands at. */
  @Override
  public String toString() {
    return "ManualClock[" + instant() + "]";
  }
}

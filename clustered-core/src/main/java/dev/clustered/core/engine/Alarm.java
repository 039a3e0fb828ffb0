// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import java.time.Duration;

/**
 * A timer that is set at most once at a time, so that what sets it again and again adds nothing.
 */
final class Alarm {

  private final Timers timers;
  private final Runnable action;
  private boolean set;

  Alarm(Timers timers, Runnable action) {
    this.timers = timers;
    this.action = action;
  }

  /** Runs the action on the loop after a time, unless that is going to happen anyway. */
  void after(Duration delay) {
    if (set) {
      return;
    }
    set = true;
    timers.after(
        delay,
        ignored -> {
          set = false;
          action.run();
        });
  }
}

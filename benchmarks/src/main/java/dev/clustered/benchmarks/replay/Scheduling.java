// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import java.util.List;

/** Decides which jobs start. Times are in milliseconds and never go back. */
interface Scheduling {

  /**
   * What a turn did.
   *
   * @param started who has its nodes now
   * @param evicted who has lost them, with all the work done, and waits again
   */
  record Turn(List<Job> started, List<Job> evicted) {
    public Turn {
      started = List.copyOf(started);
      evicted = List.copyOf(evicted);
    }

    boolean nothing() {
      return started.isEmpty() && evicted.isEmpty();
    }
  }

  /** A job has come. */
  void submitted(Job job, long now);

  /** A job that was started has ended. */
  void ended(Job job, long now);

  /** Starts and evicts; called until nothing is left to be done at this time. */
  Turn turn(long now);
}

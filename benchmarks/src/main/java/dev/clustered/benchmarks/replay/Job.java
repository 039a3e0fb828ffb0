// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.core.plan.GangRequest;
import java.util.Comparator;

/**
 * A job to replay. Two are equal when they are the same object's number. Immutable.
 *
 * @param number tells it from the other jobs; of jobs that come at once the lower is first
 * @param submitted when it comes, in milliseconds
 * @param runs how long it runs once it has its nodes, in milliseconds
 * @param units how much of the pool it takes, in the pool's units
 * @param gang what it asks the planner for
 */
record Job(int number, long submitted, long runs, long units, GangRequest gang) {

  /** The higher priority first; of equal ones, the one that came first. */
  static final Comparator<Job> ORDER =
      Comparator.comparingInt((Job job) -> job.gang().priority())
          .reversed()
          .thenComparingLong(Job::submitted)
          .thenComparingInt(Job::number);

  Job {
    if (submitted < 0 || runs < 1 || units < 1) {
      throw new IllegalArgumentException(
          "a job comes at 0 or later, runs for 1 ms or more and takes 1 unit or more; received: "
              + "number %d, submitted %d, runs %d, units %d"
                  .formatted(number, submitted, runs, units));
    }
  }
}

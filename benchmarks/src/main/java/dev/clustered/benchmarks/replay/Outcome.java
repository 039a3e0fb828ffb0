// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.benchmarks.Distribution;
import java.util.Collection;

/**
 * What came out of a replay. Immutable.
 *
 * @param jobs how many there were; all of them have ended
 * @param meanWait from the coming of a job to the start that it ended from, in milliseconds
 * @param p99Wait the same, of the job that waits longer than 99 of 100
 * @param utilisation which part of the pool was held between the first and the last coming
 * @param fragmentation which part of the pool was free while a job waited
 * @param headDelay how long a job that had to wait as the first of all then waited, mean in
 *     milliseconds
 * @param end when the last job ended, in milliseconds
 * @param turns how many turns there were
 * @param evictions how often a job lost its nodes
 */
record Outcome(
    int jobs,
    double meanWait,
    double p99Wait,
    double utilisation,
    double fragmentation,
    double headDelay,
    long end,
    long turns,
    long evictions) {

  static double mean(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }

  static double p99(Collection<Double> values) {
    return values.isEmpty() ? 0 : Distribution.of(values).percentile(99);
  }

  @Override
  public String toString() {
    return ("%d jobs, wait mean %.0f s p99 %.0f s, utilisation %.1f %%, free while one waits"
            + " %.1f %%, head delay %.0f s, end at %.0f s, %d turns, %d evictions")
        .formatted(
            jobs,
            meanWait / 1e3,
            p99Wait / 1e3,
            utilisation * 100,
            fragmentation * 100,
            headDelay / 1e3,
            end / 1e3,
            turns,
            evictions);
  }
}

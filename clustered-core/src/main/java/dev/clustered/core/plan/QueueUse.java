// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;

/**
 * What the gangs of a queue have used so far, with the past decayed: use of one half-life ago
 * counts half. Immutable and thread-safe.
 *
 * @param queue whose gangs; empty for those of the root
 * @param gpuSeconds 0 or more
 * @param cpuSeconds 0 or more
 * @param gibibyteSeconds 0 or more
 * @param at until when it is counted
 */
public record QueueUse(
    String queue, double gpuSeconds, double cpuSeconds, double gibibyteSeconds, Instant at) {

  private static final double LN_2 = Math.log(2);
  private static final double GIBIBYTE = 1L << 30;

  public QueueUse {
    requireSound(queue, "GPU", gpuSeconds);
    requireSound(queue, "CPU", cpuSeconds);
    requireSound(queue, "GiB", gibibyteSeconds);
  }

  private static void requireSound(String queue, String what, double seconds) {
    if (!(seconds >= 0) || Double.isInfinite(seconds)) {
      throw new IllegalArgumentException(
          "the %s seconds of queue %s are 0 or more and finite; received: %s"
              .formatted(what, queue, seconds));
    }
  }

  /** A queue that has used nothing. */
  public static QueueUse none(String queue, Instant at) {
    return new QueueUse(queue, 0, 0, 0, at);
  }

  /**
   * What it is after a time during which its gangs held the same. In how many parts a time is told
   * does not matter.
   *
   * @param held what all gangs of the queue held
   * @param time how long; a negative time counts as none
   * @param halfLife that of the tree of queues; more than zero
   */
  public QueueUse after(Resources held, Duration time, Duration halfLife) {
    if (time.isNegative() || time.isZero()) {
      return this;
    }
    double exponent = -LN_2 * seconds(time) / seconds(halfLife);
    double kept = Math.exp(exponent);
    double added = -Math.expm1(exponent) * full(halfLife);
    return new QueueUse(
        queue,
        gpuSeconds * kept + held.gpus() * added,
        cpuSeconds * kept + held.cpus() * added,
        gibibyteSeconds * kept + held.memory().bytes() / GIBIBYTE * added,
        at.plus(time));
  }

  /** What it is at a later time when nothing was used since; the same at an earlier one. */
  public QueueUse at(Instant time, Duration halfLife) {
    return after(Resources.NONE, Duration.between(at, time), halfLife);
  }

  /**
   * What a gang that was always there has used per unit that it holds: by this a use is turned into
   * the amount that was held on average.
   */
  static double full(Duration halfLife) {
    return seconds(halfLife) / LN_2;
  }

  private static double seconds(Duration time) {
    return time.getSeconds() + time.getNano() / 1e9;
  }
}

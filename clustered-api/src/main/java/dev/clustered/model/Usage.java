// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/**
 * What was used so far: node time by phase, and what it costs. Immutable and thread-safe.
 *
 * @param lines one line for each phase that took time, in the order of the phases
 */
public record Usage(List<Line> lines) {

  /** What node time is spent on. */
  public enum Phase {
    /** From the launch until the agent reports. */
    BOOT,
    /** From there until the workload runs, in each attempt. */
    PREPARE,
    /** The workload runs. */
    RUN,
    /** Ending the workload, the pause before another attempt, and giving the node back. */
    STOP,
    /** Held without work. */
    IDLE
  }

  /**
   * The use of one phase.
   *
   * @param nodeTime the sum over all nodes
   * @param cost node time × hourly price, in the currency of the backends' bills
   */
  public record Line(Phase phase, Duration nodeTime, BigDecimal cost) {}

  public Usage {
    lines = List.copyOf(lines);
  }

  /** Node time of all phases. */
  public Duration nodeTime() {
    return lines.stream().map(Line::nodeTime).reduce(Duration.ZERO, Duration::plus);
  }

  /** Cost of all phases. */
  public BigDecimal cost() {
    return lines.stream().map(Line::cost).reduce(BigDecimal.ZERO, BigDecimal::add);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * What is asked of the RDMA fabric. RDMA takes whole nodes in one zone on one fabric. Immutable and
 * thread-safe.
 *
 * @param minimumGigabits least RDMA rate of a node in gigabits per second, all cards together
 */
public record RdmaOptions(int minimumGigabits) {

  /** Any rate above zero. */
  public static final RdmaOptions DEFAULT = new RdmaOptions(1);

  public RdmaOptions {
    if (minimumGigabits < 1) {
      throw new IllegalArgumentException(
          "the minimum RDMA rate is 1 Gb/s or more; received: " + minimumGigabits);
    }
  }
}

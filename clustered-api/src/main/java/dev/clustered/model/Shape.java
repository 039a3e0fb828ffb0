// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * A machine type. Immutable and thread-safe.
 *
 * @param name the backend's own name for it, such as {@code p5en.48xlarge}
 * @param resources all that one such node has
 * @param nics network cards that can carry RDMA
 * @param rdmaGigabits RDMA rate of all cards together in gigabits per second; zero without RDMA
 */
public record Shape(String name, Resources resources, int nics, int rdmaGigabits) {

  /** Whether nodes of this shape can be on an RDMA fabric. */
  public boolean rdma() {
    return rdmaGigabits > 0;
  }
}

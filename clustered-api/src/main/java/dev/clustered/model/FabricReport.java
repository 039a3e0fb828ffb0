// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * What is known of the fabric a cluster runs on. Immutable and thread-safe.
 *
 * @param zone the zone all nodes are in
 * @param fabric the backend's identity of the fabric all nodes are on
 * @param gigabits RDMA rate of a node according to its shape, in gigabits per second
 * @param evidence how it is known
 */
public record FabricReport(String zone, String fabric, int gigabits, Evidence evidence) {

  /** How a fabric is known. */
  public enum Evidence {
    /** The backend only pretends: its nodes share one machine and no packet went over RDMA. */
    SIMULATED,
    /** The backend says so; nothing was measured. */
    REPORTED
  }

  /** For people; says when the fabric is simulated. */
  @Override
  public String toString() {
    String how = evidence == Evidence.SIMULATED ? " (simulated: no RDMA hardware)" : "";
    return "fabric %s in zone %s, %d Gb/s a node%s".formatted(fabric, zone, gigabits, how);
  }
}

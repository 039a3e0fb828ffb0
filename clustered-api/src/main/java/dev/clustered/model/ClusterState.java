// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * Where a cluster is in its life; each state follows the one before it, some may be skipped. After
 * {@link #RESTARTING} comes {@link #PREPARING} again.
 */
public enum ClusterState {
  /** Accepted; waits for a place. */
  QUEUED,
  /** The scheduler has decided where; capacity is being asked for. */
  PLACED,
  /** All nodes exist; their agents are awaited. */
  BOOTING,
  /** Agents make directories, files, volumes and the port ready. */
  PREPARING,
  /** Every rank checks its view of the cluster; the start barrier is closed. */
  JOINING,
  /** The workload runs on every rank. */
  RUNNING,
  /** A rank has failed: the others are ended, and another attempt follows on the same nodes. */
  RESTARTING,
  /** The workload is being ended and the nodes are being given back. */
  STOPPING,
  /** Nothing is left. */
  ENDED;

  /** Whether the cluster holds nothing any more. */
  public boolean ended() {
    return this == ENDED;
  }
}

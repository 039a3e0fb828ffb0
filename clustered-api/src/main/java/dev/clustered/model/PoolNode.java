// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.List;

/**
 * A node of the pool, warm or busy. Immutable and thread-safe.
 *
 * @param state what it does
 * @param clusters the clusters that hold a part of it
 */
public record PoolNode(
    NodeId id,
    String backend,
    Shape shape,
    TopologyPath topology,
    State state,
    List<ClusterId> clusters) {

  /** What a node of the pool does. */
  public enum State {
    /** Launched; its agent has not reported yet. */
    BOOTING,
    /** Its agent reports. */
    READY,
    /** Its agent fell silent. */
    LOST,
    /** It is being given back. */
    ENDING
  }

  public PoolNode {
    clusters = List.copyOf(clusters);
  }
}

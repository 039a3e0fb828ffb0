// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * A launch that a backend could not grant whole; nothing of it is left. Immutable and thread-safe.
 */
public final class CapacityException extends ClusterException {

  private static final long serialVersionUID = 1L;

  private final int asked;
  private final int free;

  /**
   * @param zone where it was asked for
   * @param asked nodes asked for
   * @param free nodes that could have been had; zero when the backend does not tell
   */
  public CapacityException(String zone, String shape, int asked, int free) {
    super(
        ErrorCode.NO_CAPACITY,
        "asked %d nodes of shape %s in zone %s, which had %d; wait, ask for fewer, or allow another zone"
            .formatted(asked, shape, zone, free));
    this.asked = asked;
    this.free = free;
  }

  /** Nodes asked for. */
  public int asked() {
    return asked;
  }

  /** Nodes that could have been had. */
  public int free() {
    return free;
  }
}

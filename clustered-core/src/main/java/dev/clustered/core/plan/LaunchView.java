// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Offer;
import java.time.Instant;
import java.util.Optional;

/**
 * A launch whose nodes are not all there yet. Those that are stand among the nodes of the snapshot,
 * with its identity. Immutable and thread-safe.
 *
 * @param gang whom it is for; it may have been cancelled since
 * @param decidedAt when it was decided, for the gang's expected start
 * @param granted how many nodes the backend has granted so far; 0 to {@code nodes}
 * @param deadline from when on the launch is late if not all are granted; empty when it is waited
 *     for as long as it takes. A late launch is nothing that a gang waits for any more, so whoever
 *     carries out the plan cancels it; one whose nodes stay is then a launch of so many
 */
public record LaunchView(
    LaunchId id,
    ClusterId gang,
    Offer offer,
    int nodes,
    Optional<Instant> decidedAt,
    int granted,
    Optional<Instant> deadline) {

  public LaunchView {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "launch " + id + " has 1 node or more; received: " + nodes);
    }
    if (granted < 0 || granted > nodes) {
      throw new IllegalArgumentException(
          "launch %s of %d nodes has 0 to %d granted; received: %d"
              .formatted(id, nodes, nodes, granted));
    }
    if (decidedAt.isPresent()
        && deadline.filter(end -> end.isBefore(decidedAt.get())).isPresent()) {
      throw new IllegalArgumentException(
          "launch %s, decided at %s, is late no earlier; received: %s"
              .formatted(id, decidedAt.get(), deadline.get()));
    }
  }

  /** A launch that its backend has not answered yet, and that is waited for. */
  public LaunchView(
      LaunchId id, ClusterId gang, Offer offer, int nodes, Optional<Instant> decidedAt) {
    this(id, gang, offer, nodes, decidedAt, 0, Optional.empty());
  }

  /** A launch of which nobody knows when it was decided. */
  public LaunchView(LaunchId id, ClusterId gang, Offer offer, int nodes) {
    this(id, gang, offer, nodes, Optional.empty());
  }

  /** The same, of which so many nodes are granted, and which is late from a time on. */
  public LaunchView withGranted(int count, Instant late) {
    return new LaunchView(id, gang, offer, nodes, decidedAt, count, Optional.of(late));
  }

  Site site() {
    return Site.of(offer);
  }

  /** Whether its time is over and not all is granted. */
  boolean late(Instant now) {
    return granted < nodes && deadline.filter(end -> !end.isAfter(now)).isPresent();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Offer;
import java.time.Instant;
import java.util.Optional;

/**
 * A launch that its backend has not answered yet. Immutable and thread-safe.
 *
 * @param gang whom it is for; it may have been cancelled since
 * @param decidedAt when it was decided, for the gang's expected start
 */
public record LaunchView(
    LaunchId id, ClusterId gang, Offer offer, int nodes, Optional<Instant> decidedAt) {

  public LaunchView {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "launch " + id + " has 1 node or more; received: " + nodes);
    }
  }

  /** A launch of which nobody knows when it was decided. */
  public LaunchView(LaunchId id, ClusterId gang, Offer offer, int nodes) {
    this(id, gang, offer, nodes, Optional.empty());
  }

  Site site() {
    return Site.of(offer);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.time.Instant;
import java.util.Optional;

/** A gang that waits; without {@code each} a rank takes a whole node. */
public record GangRequest(
    ClusterId id,
    int nodes,
    Optional<String> shape,
    Optional<Resources> each,
    Optional<RdmaOptions> rdma,
    Optional<String> backend,
    Instant queuedAt) {

  public GangRequest {
    if (nodes < 1) {
      throw new IllegalArgumentException("gang " + id + " asks for " + nodes + " nodes");
    }
  }

  /** Whether a node of this shape of this backend could hold a rank when it is empty. */
  boolean fits(String nodeBackend, Shape nodeShape) {
    return backend.map(nodeBackend::equals).orElse(true)
        && shape.map(nodeShape.name()::equals).orElse(true)
        && each.map(nodeShape.resources()::holds).orElse(true)
        && rdma.map(wish -> nodeShape.rdmaGigabits() >= wish.minimumGigabits()).orElse(true);
  }
}

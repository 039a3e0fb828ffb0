// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import java.time.Instant;
import java.util.List;

/**
 * What a waiting gang was promised when others were told to end or to move for it: kept for it
 * while they do. Immutable and thread-safe.
 *
 * @param nodes the node of each rank in rank order, then of each spare
 * @param until when the promise ends, and the gang is planned for like any other
 */
public record Claim(List<NodeId> nodes, Instant until) {
  public Claim {
    nodes = List.copyOf(nodes);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A node as the planner sees it: what is free of it and where it is. */
public record NodeView(
    NodeId id,
    String backend,
    Shape shape,
    TopologyPath topology,
    Resources free,
    NodeHealth health,
    List<Integer> freeGpus,
    int holders,
    Optional<Instant> idleSince,
    LaunchId launch) {

  public NodeView {
    freeGpus = List.copyOf(freeGpus);
    if (holders < 0) {
      throw new IllegalArgumentException("node " + id + " has " + holders + " holders");
    }
  }

  String zone() {
    return topology.at(TopologyPath.ZONE).orElse("");
  }

  String fabric() {
    return topology.at(TopologyPath.FABRIC).orElse("");
  }
}

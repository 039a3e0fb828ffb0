// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Offer;
import java.time.Instant;
import java.util.List;

/** Everything a plan depends on; {@code waiting} is in the order of arrival. */
public record Snapshot(
    Instant now,
    List<NodeView> nodes,
    List<LaunchView> launches,
    List<Offer> offers,
    List<GangRequest> waiting,
    List<CoolDown> coolDowns,
    PlanPolicy policy) {

  public Snapshot {
    nodes = List.copyOf(nodes);
    launches = List.copyOf(launches);
    offers = List.copyOf(offers);
    waiting = List.copyOf(waiting);
    coolDowns = List.copyOf(coolDowns);
    if (nodes.stream().map(NodeView::id).distinct().count() != nodes.size()) {
      throw new IllegalArgumentException("a node stands twice in the snapshot");
    }
    if (waiting.stream().map(GangRequest::id).distinct().count() != waiting.size()) {
      throw new IllegalArgumentException("a gang stands twice in the snapshot");
    }
  }
}

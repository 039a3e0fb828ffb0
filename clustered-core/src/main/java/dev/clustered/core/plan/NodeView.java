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
import java.util.TreeSet;

/**
 * A node as the planner sees it. Immutable and thread-safe.
 *
 * @param free what nobody holds of it
 * @param freeGpus the indices of the GPUs that nobody holds
 * @param holders how many clusters hold a part of it
 * @param idleSince since when nobody holds a part of it
 * @param launch the launch that brought it
 */
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
    freeGpus = new TreeSet<>(freeGpus).stream().toList();
    if (holders < 0) {
      throw new IllegalArgumentException(
          "node " + id + " has 0 holders or more; received: " + holders);
    }
    if (!withinShape(shape.resources(), free)) {
      throw new IllegalArgumentException(
          "node " + id + " has no more free than its shape " + shape + "; received: " + free);
    }
    for (int gpu : freeGpus) {
      if (gpu < 0 || gpu >= shape.resources().gpus()) {
        throw new IllegalArgumentException(
            "node " + id + " of shape " + shape + " has no GPU of index " + gpu);
      }
    }
  }

  private static boolean withinShape(Resources all, Resources free) {
    return free.gpus() <= all.gpus()
        && free.cpus() <= all.cpus()
        && free.memory().compareTo(all.memory()) <= 0;
  }

  String zone() {
    return topology.at(TopologyPath.ZONE).orElse("");
  }

  String fabric() {
    return topology.at(TopologyPath.FABRIC).orElse("");
  }

  Site site() {
    return new Site(backend, zone(), shape.name());
  }

  /** Ready, nobody's, and at a known place. */
  boolean empty() {
    return ready() && holders == 0;
  }

  /** Ready and at a known place. */
  boolean ready() {
    return health == NodeHealth.READY && !zone().isEmpty();
  }

  /** Ready now or expected to be. */
  boolean usable() {
    return switch (health) {
      case READY, BOOTING -> true;
      case CORDONED, LOST -> false;
    };
  }
}

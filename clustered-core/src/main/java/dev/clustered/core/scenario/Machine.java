// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.NodeHealth;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A node of the world, without what gangs hold of it. Immutable.
 *
 * @param used what others hold of it, of whom nothing more is known
 * @param idleSince since when nobody holds a part of it, if nobody does
 */
record Machine(
    NodeId id,
    String backend,
    Shape shape,
    TopologyPath topology,
    NodeHealth health,
    Resources used,
    Optional<Instant> idleSince,
    LaunchId launch,
    boolean unit,
    Map<String, String> attributes,
    Set<String> taints) {

  Machine in(NodeHealth other) {
    return new Machine(
        id, backend, shape, topology, other, used, idleSince, launch, unit, attributes, taints);
  }

  Machine idle(Optional<Instant> since) {
    return new Machine(
        id, backend, shape, topology, health, used, since, launch, unit, attributes, taints);
  }

  /** The value of a level of its path; empty when it does not report it. */
  String at(String level) {
    return topology.at(level).orElse("");
  }

  /** Its place down to a level, which tells equal values of a level apart. */
  Optional<String> domain(String level) {
    StringBuilder path = new StringBuilder();
    for (TopologyPath.Level step : topology.levels()) {
      path.append('/').append(step.name()).append('=').append(step.value());
      if (step.name().equals(level)) {
        return Optional.of(path.substring(1));
      }
    }
    return Optional.empty();
  }
}

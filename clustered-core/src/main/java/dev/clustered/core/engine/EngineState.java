// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.plan.CoolDown;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What the engine holds. Owned by the loop's thread. */
final class EngineState {

  /** In the order of their launch, which is the order of their identities. */
  final Map<ClusterId, ClusterRecord> clusters = new TreeMap<>();

  /** Clusters that have ended, in the order of their ends: as many as are remembered. */
  final Map<ClusterId, ClusterRecord> ended = new LinkedHashMap<>();

  private final Map<NodeId, NodeLife> held = new TreeMap<>();

  /** All nodes, by identity; changed through {@link #put} and {@link #remove} alone. */
  final Map<NodeId, NodeLife> nodes = Collections.unmodifiableMap(held);

  private boolean nodesChanged;
  final Map<LaunchId, Fact.LaunchDecided> launches = new TreeMap<>();
  final List<CoolDown> coolDowns = new ArrayList<>();

  /** Agents that reported before their backend had answered the launch. */
  final Map<NodeId, String> earlyJoins = new TreeMap<>();

  /** What was announced of nodes, the latest of each. */
  final Map<NodeId, Fact.NodeNoticed> announced = new TreeMap<>();

  void put(NodeLife node) {
    held.put(node.id(), node);
    nodesChanged = true;
  }

  void remove(NodeId node) {
    held.remove(node);
    announced.remove(node);
    nodesChanged = true;
  }

  /** Whether a node has changed since the last call. */
  boolean takeNodesChanged() {
    boolean changed = nodesChanged;
    nodesChanged = false;
    return changed;
  }

  Optional<ClusterRecord> cluster(ClusterId id) {
    return Optional.ofNullable(clusters.get(id));
  }

  Optional<NodeLife> node(NodeId id) {
    return Optional.ofNullable(nodes.get(id));
  }

  /** Every cluster that holds a part of a node. */
  List<ClusterRecord> holders(NodeId node) {
    return node(node).stream()
        .flatMap(life -> life.holders().stream())
        .flatMap(holder -> cluster(holder.cluster()).stream())
        .toList();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which gang holds which node, and which has lost one: kept up as gangs and nodes change, so that a
 * plan looks at those alone that have. Not thread-safe.
 */
final class Losses {

  /** The order in which gangs are repaired. */
  private static final Comparator<RunningGang> ORDER =
      Comparator.comparingInt((RunningGang gang) -> gang.request().priority())
          .reversed()
          .thenComparing(RunningGang::startedAt, Comparator.<Instant>naturalOrder())
          .thenComparing(RunningGang::id);

  private final Map<NodeId, NodeView> nodes;
  private final Map<ClusterId, RunningGang> gangs = new TreeMap<>();
  private final Map<NodeId, Set<ClusterId>> holders = new TreeMap<>();
  private final Set<NodeId> lost = new TreeSet<>();

  /**
   * Nobody holds anything yet.
   *
   * @param nodes all nodes that there are, kept up by the caller
   */
  Losses(Map<NodeId, NodeView> nodes) {
    this.nodes = nodes;
  }

  /** A gang has nodes, or something of it has changed. */
  void put(RunningGang gang) {
    remove(gang.id());
    gangs.put(gang.id(), gang);
    for (NodeId node : nodes(gang)) {
      holders.computeIfAbsent(node, n -> new TreeSet<>()).add(gang.id());
      changed(node);
    }
  }

  /** A gang has no nodes any more. */
  void remove(ClusterId id) {
    RunningGang gang = gangs.remove(id);
    if (gang == null) {
      return;
    }
    for (NodeId node : nodes(gang)) {
      Set<ClusterId> there = holders.getOrDefault(node, Collections.emptySet());
      there.remove(id);
      if (there.isEmpty()) {
        holders.remove(node);
        lost.remove(node);
      }
    }
  }

  private static Set<NodeId> nodes(RunningGang gang) {
    Set<NodeId> held = new TreeSet<>();
    gang.members().forEach(member -> held.add(member.at().node()));
    gang.spares().forEach(spare -> held.add(spare.node()));
    return held;
  }

  /** A node has come, has changed or is gone. */
  void changed(NodeId node) {
    if (holders.containsKey(node) && lost(node)) {
      lost.add(node);
    } else {
      lost.remove(node);
    }
  }

  /** Whether whoever is on a node needs another one. */
  boolean lost(NodeId id) {
    NodeView node = nodes.get(id);
    if (node == null) {
      return true;
    }
    return switch (node.health()) {
      case LOST, FAULTY -> true;
      case READY, BOOTING, CORDONED -> false;
    };
  }

  /** The gangs that work and have lost a node: the higher priority first, then the older. */
  List<RunningGang> broken() {
    Set<ClusterId> broken = new TreeSet<>();
    lost.forEach(node -> broken.addAll(holders.getOrDefault(node, Collections.emptySet())));
    return all(broken).stream()
        .filter(gang -> gang.phase() == RunningGang.Phase.RUNNING)
        .sorted(ORDER)
        .toList();
  }

  /** Who holds a part of a node, in the order of their identities. */
  List<RunningGang> on(NodeId node) {
    return all(holders.getOrDefault(node, Collections.emptySet()));
  }

  private List<RunningGang> all(Collection<ClusterId> ids) {
    List<RunningGang> found = new ArrayList<>();
    for (ClusterId id : ids) {
      RunningGang gang = gangs.get(id);
      if (gang != null) {
        found.add(gang);
      }
    }
    return found;
  }

  /** Whether a gang holds a part of a node, as a spare too. */
  boolean holds(NodeId node) {
    return holders.containsKey(node);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which gangs have lost a node: kept up as gangs and nodes change, so that a plan looks at those
 * alone that have. Not thread-safe.
 */
final class Losses {

  /** The order in which gangs are repaired. */
  static final Comparator<RunningGang> ORDER =
      Comparator.comparingInt((RunningGang gang) -> gang.request().priority())
          .reversed()
          .thenComparing(RunningGang::startedAt, Comparator.<Instant>naturalOrder())
          .thenComparing(RunningGang::id);

  private final Map<NodeId, NodeView> nodes;
  private final Tenants tenants;
  private final Set<NodeId> lost = new TreeSet<>();

  /**
   * Among some nodes and gangs.
   *
   * @param nodes all nodes that there are, kept up by the caller
   * @param tenants who holds them, kept up by the caller
   */
  Losses(Map<NodeId, NodeView> nodes, Tenants tenants) {
    this.nodes = nodes;
    this.tenants = tenants;
  }

  /** A gang has got nodes, or has them no more. */
  void changed(RunningGang gang) {
    Tenants.holdings(gang).forEach(held -> changed(held.node()));
  }

  /** A node has come, has changed or is gone. */
  void changed(NodeId node) {
    if (holds(node) && lost(node)) {
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
    lost.forEach(node -> broken.addAll(tenants.on(node)));
    return all(broken).stream().filter(RunningGang::works).sorted(ORDER).toList();
  }

  /** Who holds a part of a node, in the order of their identities. */
  List<RunningGang> on(NodeId node) {
    return all(tenants.on(node));
  }

  private List<RunningGang> all(Collection<ClusterId> ids) {
    List<RunningGang> found = new ArrayList<>();
    for (ClusterId id : ids) {
      tenants.find(id).ifPresent(found::add);
    }
    return found;
  }

  /** Whether a gang holds a part of a node, as a spare too. */
  boolean holds(NodeId node) {
    return !tenants.on(node).isEmpty();
  }
}

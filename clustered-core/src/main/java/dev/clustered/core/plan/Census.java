// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import dev.clustered.model.Shape;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How many nodes there are where, kept up as they change. Not thread-safe. */
final class Census {

  private final Map<NodeId, NodeView> nodes = new TreeMap<>();
  private final Map<Site, OfSite> sites = new TreeMap<>();
  private final Map<Site.Zone, Integer> held = new TreeMap<>();
  private final Map<Site.Zone, Integer> ending = new TreeMap<>();
  private final TreeMap<Instant, Integer> idleSince = new TreeMap<>();

  /** What is known of one site. */
  static final class OfSite {
    final Shape shape;
    int all;
    int usable;
    final Map<String, Integer> usableByFabric = new TreeMap<>();

    OfSite(Shape shape) {
      this.shape = shape;
    }
  }

  void put(NodeView node) {
    remove(node.id());
    nodes.put(node.id(), node);
    count(node, 1);
  }

  void remove(NodeId id) {
    NodeView node = nodes.remove(id);
    if (node != null) {
      count(node, -1);
    }
  }

  private void count(NodeView node, int change) {
    add(held, node.site().inZone(), change);
    if (node.health() == NodeHealth.CORDONED) {
      add(ending, node.site().inZone(), change);
    }
    node.idleSince().ifPresent(since -> add(idleSince, since, change));
    OfSite site = sites.computeIfAbsent(node.site(), s -> new OfSite(node.shape()));
    site.all += change;
    if (node.usable() && !node.zone().isEmpty()) {
      site.usable += change;
      if (!node.fabric().isEmpty()) {
        add(site.usableByFabric, node.fabric(), change);
      }
    }
    if (site.all == 0) {
      sites.remove(node.site());
    }
  }

  private static <K> void add(Map<K, Integer> counts, K key, int change) {
    if (counts.merge(key, change, Integer::sum) == 0) {
      counts.remove(key);
    }
  }

  /** Where there are nodes, and how many. */
  Map<Site, OfSite> sites() {
    return sites;
  }

  /** All nodes that a backend holds in a zone, whatever their health. */
  int held(Site.Zone zone) {
    return held.getOrDefault(zone, 0);
  }

  /** The nodes of a zone that are on their way out. */
  int ending(Site.Zone zone) {
    return ending.getOrDefault(zone, 0);
  }

  /** Since when the node that has been idle longest is so. */
  Optional<Instant> longestIdle() {
    return idleSince.isEmpty() ? Optional.empty() : Optional.of(idleSince.firstKey());
  }

  /** The first time after another one since which a node is idle. */
  Optional<Instant> idleAfter(Instant time) {
    return Optional.ofNullable(idleSince.higherKey(time));
  }
}

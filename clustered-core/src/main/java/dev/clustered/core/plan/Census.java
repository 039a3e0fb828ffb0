// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Shape;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What nodes there are where, and who holds them, kept up as that changes. Not thread-safe. */
final class Census {

  private final Map<NodeId, NodeView> nodes = new LinkedHashMap<>();
  private final Map<Site, OfSite> sites = new TreeMap<>();
  private final Map<Site.Zone, Integer> held = new TreeMap<>();
  private final Map<Site.Zone, Integer> ending = new TreeMap<>();
  private int unready;

  /** The nodes of which nobody holds a part, whatever their health. */
  private final Map<NodeId, NodeView> unused = new TreeMap<>();

  /** The nodes that are not ready, or that have taints. */
  private final Map<NodeId, NodeView> apart = new TreeMap<>();

  private final TreeMap<Instant, Integer> idleSince = new TreeMap<>();
  private final Map<LaunchId, Set<NodeId>> launches = new TreeMap<>();
  private final Tenants tenants = new Tenants();
  private final Losses losses = new Losses(nodes, tenants);

  /** What is known of one site. */
  static final class OfSite {
    final Shape shape;
    int all;
    int tainted;
    int staying;
    final Map<String, Integer> stayingByFabric = new TreeMap<>();

    OfSite(Shape shape) {
      this.shape = shape;
    }
  }

  void put(NodeView node) {
    NodeView known = nodes.get(node.id());
    if (known != null && countsAs(known, node)) {
      known.idleSince().ifPresent(since -> add(idleSince, since, -1));
      node.idleSince().ifPresent(since -> add(idleSince, since, 1));
      nodes.put(node.id(), node);
      lists(node);
      return;
    }
    remove(node.id());
    nodes.put(node.id(), node);
    lists(node);
    count(node, 1);
    launches.computeIfAbsent(node.launch(), l -> new TreeSet<>()).add(node.id());
    losses.changed(node.id());
  }

  private void lists(NodeView node) {
    list(unused, node, node.holders() == 0);
    list(apart, node, !node.ready() || !node.taints().isEmpty());
  }

  private static void list(Map<NodeId, NodeView> list, NodeView node, boolean there) {
    if (there) {
      list.put(node.id(), node);
    } else {
      list.remove(node.id());
    }
  }

  /** Whether one node stands for another in everything but what is free of it and since when. */
  private static boolean countsAs(NodeView one, NodeView other) {
    return one.health() == other.health()
        && one.backend().equals(other.backend())
        && one.shape().equals(other.shape())
        && one.topology().equals(other.topology())
        && one.launch().equals(other.launch())
        && one.taints().equals(other.taints());
  }

  void remove(NodeId id) {
    NodeView node = nodes.remove(id);
    if (node != null) {
      unused.remove(id);
      apart.remove(id);
      count(node, -1);
      Set<NodeId> ofLaunch = launches.getOrDefault(node.launch(), Collections.emptySet());
      ofLaunch.remove(id);
      if (ofLaunch.isEmpty()) {
        launches.remove(node.launch());
      }
      losses.changed(id);
    }
  }

  /** A gang has nodes, or something of it has changed. */
  void put(RunningGang gang) {
    remove(gang.id());
    tenants.put(gang);
    losses.changed(gang);
  }

  /** A gang has no nodes any more; gives what it was. */
  Optional<RunningGang> remove(ClusterId gang) {
    Optional<RunningGang> gone = tenants.remove(gang);
    gone.ifPresent(losses::changed);
    return gone;
  }

  /** Who holds which node. */
  Tenants tenants() {
    return tenants;
  }

  /** The nodes that a launch has brought. */
  Set<NodeId> ofLaunch(LaunchId launch) {
    return launches.getOrDefault(launch, Collections.emptySet());
  }

  /** Who has lost a node. */
  Losses losses() {
    return losses;
  }

  private void count(NodeView node, int change) {
    unready += node.ready() ? 0 : change;
    add(held, node.site().inZone(), change);
    if (node.health() == NodeHealth.CORDONED) {
      add(ending, node.site().inZone(), change);
    }
    node.idleSince().ifPresent(since -> add(idleSince, since, change));
    OfSite site = sites.computeIfAbsent(node.site(), s -> new OfSite(node.shape()));
    site.all += change;
    site.tainted += node.taints().isEmpty() ? 0 : change;
    if (stays(node)) {
      site.staying += change;
      if (!node.fabric().isEmpty()) {
        add(site.stayingByFabric, node.fabric(), change);
      }
    }
    if (site.all == 0) {
      sites.remove(node.site());
    }
  }

  /** What is lost or sick may come back; what is cordoned does not. */
  private static boolean stays(NodeView node) {
    return node.health() != NodeHealth.CORDONED && !node.zone().isEmpty();
  }

  private static <K> void add(Map<K, Integer> counts, K key, int change) {
    if (counts.merge(key, change, Integer::sum) == 0) {
      counts.remove(key);
    }
  }

  Optional<NodeView> node(NodeId id) {
    return Optional.ofNullable(nodes.get(id));
  }

  /** Every node, by identity. */
  Collection<NodeView> nodes() {
    return nodes.values();
  }

  /** The nodes of which nobody holds a part, whatever their health, by identity. */
  Collection<NodeView> unused() {
    return unused.values();
  }

  /** The nodes that are not ready, or that have taints, by identity. */
  Collection<NodeView> apart() {
    return apart.values();
  }

  /** Where there are nodes, and how many. */
  Map<Site, OfSite> sites() {
    return sites;
  }

  /**
   * How many nodes that admit a need are there or may come back, by site or by fabric in a site.
   */
  Map<Domain, Integer> staying(Need need, boolean byFabric) {
    Map<Domain, Integer> staying = new TreeMap<>();
    for (NodeView node : nodes.values()) {
      if (stays(node) && need.admits(node) && !(byFabric && node.fabric().isEmpty())) {
        Domain domain = Domain.of(node);
        add(staying, byFabric ? domain : domain.wholeSite(), 1);
      }
    }
    return staying;
  }

  /** All nodes that a backend holds in a zone, whatever their health. */
  int held(Site.Zone zone) {
    return held.getOrDefault(zone, 0);
  }

  /** How many nodes are not ready, for whatever reason. */
  int unready() {
    return unready;
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

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A node as the planner sees it. Immutable and thread-safe.
 *
 * @param free what nobody holds of it
 * @param freeGpus the indices of the GPUs that nobody holds
 * @param holders how many clusters hold a part of it
 * @param idleSince since when nobody holds a part of it
 * @param launch the launch that brought it
 * @param unit whether it is only given back together with all nodes of its launch
 * @param attributes what it says of itself, by name
 * @param taints what keeps ranks away that do not tolerate it
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
    LaunchId launch,
    boolean unit,
    Map<String, String> attributes,
    Set<String> taints) {

  public NodeView {
    attributes =
        attributes.isEmpty()
            ? Collections.emptyMap()
            : Collections.unmodifiableMap(new TreeMap<>(attributes));
    taints =
        taints.isEmpty()
            ? Collections.emptySet()
            : Collections.unmodifiableSet(new TreeSet<>(taints));
    freeGpus = ascending(freeGpus) ? List.copyOf(freeGpus) : List.copyOf(new TreeSet<>(freeGpus));
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

  private static boolean ascending(List<Integer> numbers) {
    for (int i = 1; i < numbers.size(); i++) {
      if (numbers.get(i - 1) >= numbers.get(i)) {
        return false;
      }
    }
    return true;
  }

  /** A node that is given back by itself, and of which there is nothing more to say. */
  public NodeView(
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
    this(
        id,
        backend,
        shape,
        topology,
        free,
        health,
        freeGpus,
        holders,
        idleSince,
        launch,
        false,
        Collections.emptyMap(),
        Collections.emptySet());
  }

  /** The same, of which somebody holds this too. */
  NodeView with(Holding held) {
    List<Integer> left = new ArrayList<>(freeGpus);
    left.removeAll(held.gpus());
    return changed(free.minus(held.takes()), left, holders + 1, Optional.empty());
  }

  /** The same when somebody has ended that held this. */
  NodeView without(Holding held, Instant at) {
    List<Integer> more = new ArrayList<>(freeGpus);
    more.addAll(held.gpus());
    int others = Math.max(0, holders - 1);
    Resources all = shape.resources();
    Resources back = all.minus(all).plus(free).plus(held.takes());
    return changed(back, more, others, others == 0 ? Optional.of(at) : Optional.empty());
  }

  private NodeView changed(
      Resources left, List<Integer> leftGpus, int by, Optional<Instant> idleFrom) {
    return new NodeView(
        id,
        backend,
        shape,
        topology,
        left,
        health,
        leftGpus,
        by,
        idleFrom,
        launch,
        unit,
        attributes,
        taints);
  }

  /** The same in another health. */
  NodeView in(NodeHealth other) {
    return new NodeView(
        id,
        backend,
        shape,
        topology,
        free,
        other,
        freeGpus,
        holders,
        idleSince,
        launch,
        unit,
        attributes,
        taints);
  }

  /** The same with this to say of itself. */
  public NodeView withAttributes(Map<String, String> others) {
    return described(unit, others, taints);
  }

  /** The same with these taints. */
  public NodeView withTaints(Set<String> others) {
    return described(unit, attributes, others);
  }

  /** The same, given back only with all nodes of its launch. */
  public NodeView inUnit() {
    return described(true, attributes, taints);
  }

  private NodeView described(boolean inUnit, Map<String, String> says, Set<String> keepAway) {
    return new NodeView(
        id, backend, shape, topology, free, health, freeGpus, holders, idleSince, launch, inUnit,
        says, keepAway);
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

  /** Ready now or expected to be, at a known place, and open to ranks of a need. */
  boolean usable(Need need) {
    return usable() && !zone().isEmpty() && need.admits(this);
  }

  /** Ready now or expected to be. */
  boolean usable() {
    return switch (health) {
      case READY, BOOTING -> true;
      case CORDONED, FAULTY, LOST -> false;
    };
  }
}

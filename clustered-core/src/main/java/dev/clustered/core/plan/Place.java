// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A domain of the topology: what lies in it, and where it stands in {@link Places}. Its whole path
 * tells it from others, so a host may have the name of its zone.
 */
final class Place {

  /** What a path of another name must not be taken for: no name of a level has it. */
  private static final char SEPARATOR = '=';

  private final @Nullable Place parent;
  private final String level;
  private final String value;
  private final int depth;

  /** The zone that it is or lies in, asked for most often; null outside of all zones. */
  private final @Nullable Place zone;

  private final Map<String, Place> inside = new TreeMap<>();
  private final Map<NodeId, Slot> nodes = new TreeMap<>();

  /** Its number among the places of its depth, in topology order; set by {@link Places}. */
  int ordinal;

  /** The numbers of what lies directly inside: from the first, up to but without the last. */
  int firstInside;

  int endInside;

  private Place(@Nullable Place parent, String level, String value, int depth) {
    this.parent = parent;
    this.level = level;
    this.value = value;
    this.depth = depth;
    Place outer = parent == null ? null : parent.zone;
    this.zone = level.equals(TopologyPath.ZONE) ? this : outer;
  }

  /** All that a backend has. */
  static Place root(String backend) {
    return new Place(null, "backend", backend, 0);
  }

  /** What it lies in; null for all that a backend has. */
  @Nullable Place around() {
    return parent;
  }

  int depth() {
    return depth;
  }

  /** Its name at its level. */
  String value() {
    return value;
  }

  /** The zone that this place is or lies in; null outside of all zones. */
  @Nullable Place zone() {
    return zone;
  }

  Place in(TopologyPath.Level next) {
    return inside.computeIfAbsent(
        next.name() + SEPARATOR + next.value(),
        key -> new Place(this, next.name(), next.value(), depth + 1));
  }

  /** The places directly inside, in topology order. */
  List<Place> inside() {
    return new ArrayList<>(inside.values());
  }

  /** The nodes that report no level further inside, by identity. */
  Map<NodeId, Slot> nodes() {
    return nodes;
  }

  /** Its node, when it has one alone and nothing lies inside; else null. */
  @Nullable Slot only() {
    return nodes.size() == 1 && inside.isEmpty() ? nodes.values().iterator().next() : null;
  }

  boolean empty() {
    return inside.isEmpty() && nodes.isEmpty();
  }

  void drop(Place child) {
    inside.remove(child.level + SEPARATOR + child.value);
  }

  boolean at(String wanted) {
    return level.equals(wanted);
  }

  /** The domain of a level that this place is, or lies in. */
  Optional<Place> around(String wanted) {
    Place place = this;
    while (place != null && !place.at(wanted)) {
      place = place.parent;
    }
    return Optional.ofNullable(place);
  }

  @Override
  public String toString() {
    String own = level + SEPARATOR + value;
    return parent == null || parent.depth == 0 ? own : parent + "/" + own;
  }
}

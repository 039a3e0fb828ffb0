// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All nodes of a backend by place, and the room for every need that was asked for. */
final class Places {

  private final String backend;
  private final Place root;
  private final Map<NodeId, Slot> slots = new TreeMap<>();
  private final Map<String, OfShape> shapes = new TreeMap<>();
  private List<List<Place>> byDepth = List.of();
  private boolean renumber = true;

  /** The nodes of one shape, and what is counted of them. */
  private static final class OfShape {
    final Shape shape;
    final Map<NodeId, Slot> slots = new TreeMap<>();
    final Map<Need, Room> byNeed = new LinkedHashMap<>();
    final List<Room> rooms = new ArrayList<>();
    final Room usable = new Room(slot -> slot.node().usable() && !slot.node().zone().isEmpty());

    OfShape(Shape shape) {
      this.shape = shape;
      rooms.add(usable);
    }
  }

  Places(String backend) {
    this.backend = backend;
    this.root = Place.root(backend);
  }

  String backend() {
    return backend;
  }

  /** Adds a node, or takes what has become of one. */
  Slot put(NodeView node) {
    Slot known = slots.get(node.id());
    if (known != null && known.sameKind(node)) {
      change(known, () -> known.become(node));
      return known;
    }
    remove(node.id());
    Place place = root;
    for (TopologyPath.Level level : node.topology().levels()) {
      place = place.in(level);
    }
    Slot slot = new Slot(node, this, place);
    place.nodes().put(node.id(), slot);
    slots.put(node.id(), slot);
    shapes
        .computeIfAbsent(node.shape().name(), name -> new OfShape(node.shape()))
        .slots
        .put(node.id(), slot);
    renumber = true;
    return slot;
  }

  void remove(NodeId id) {
    Slot slot = slots.remove(id);
    if (slot == null) {
      return;
    }
    String name = slot.node().shape().name();
    OfShape ofShape = ofShape(name);
    ofShape.slots.remove(id);
    if (ofShape.slots.isEmpty()) {
      shapes.remove(name);
    }
    Place place = slot.place();
    place.nodes().remove(id);
    while (place.empty() && place.parent().isPresent()) {
      Place outer = place.parent().get();
      outer.drop(place);
      place = outer;
    }
    renumber = true;
  }

  /** Changes a node, and with it every counter that it is in. */
  void change(Slot slot, Runnable mutation) {
    List<Room> rooms = ofShape(slot.node().shape().name()).rooms;
    if (renumber) {
      mutation.run();
      return;
    }
    boolean[] before = new boolean[rooms.size()];
    for (int i = 0; i < before.length; i++) {
      before[i] = rooms.get(i).holds(slot);
    }
    mutation.run();
    for (int i = 0; i < before.length; i++) {
      boolean after = rooms.get(i).holds(slot);
      if (after != before[i]) {
        rooms.get(i).add(slot.place(), after ? 1 : -1);
      }
    }
  }

  /** The shapes that nodes have. */
  Collection<Shape> shapes() {
    return shapes.values().stream().map(ofShape -> ofShape.shape).toList();
  }

  /** Where ranks of a need find room on nodes of a shape. */
  Room room(Shape shape, Need need) {
    number();
    OfShape ofShape = ofShape(shape.name());
    return ofShape.byNeed.computeIfAbsent(
        need,
        key -> {
          Room room =
              new Room(slot -> slot.node().shape().name().equals(shape.name()) && slot.holds(key));
          room.recount(byDepth, ofShape.slots.values());
          ofShape.rooms.add(room);
          return room;
        });
  }

  /** Where nodes of a shape are ready, or are expected to be. */
  Room usable(Shape shape) {
    number();
    return ofShape(shape.name()).usable;
  }

  /** The places of each depth in topology order, the whole backend first. */
  List<List<Place>> byDepth() {
    number();
    return byDepth;
  }

  /** What lies directly inside a place. */
  List<Place> inside(Place place) {
    number();
    return place.depth() + 1 == byDepth.size()
        ? List.of()
        : byDepth.get(place.depth() + 1).subList(place.firstInside, place.endInside);
  }

  private OfShape ofShape(String name) {
    OfShape ofShape = shapes.get(name);
    if (ofShape == null) {
      throw new IllegalStateException("backend " + backend + " has no node of shape " + name);
    }
    return ofShape;
  }

  private void number() {
    if (!renumber) {
      return;
    }
    List<List<Place>> levels = new ArrayList<>();
    List<Place> level = List.of(root);
    while (!level.isEmpty()) {
      List<Place> inner = new ArrayList<>();
      for (int i = 0; i < level.size(); i++) {
        Place place = level.get(i);
        place.ordinal = i;
        place.firstInside = inner.size();
        inner.addAll(place.inside());
        place.endInside = inner.size();
      }
      levels.add(level);
      level = inner;
    }
    byDepth = List.copyOf(levels);
    for (OfShape ofShape : shapes.values()) {
      ofShape.rooms.forEach(room -> room.recount(byDepth, ofShape.slots.values()));
    }
    renumber = false;
  }
}

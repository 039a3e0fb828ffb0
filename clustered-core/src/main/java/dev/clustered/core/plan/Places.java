// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All nodes of a backend by place, and the room for every need that was asked for. */
final class Places {

  private static final Comparator<Shape> SMALLEST_FIRST =
      Comparator.comparing(Shape::resources, Searches.SMALLEST_FIRST).thenComparing(Shape::name);

  /** So many needs are counted at a time, so that those of long ago cost nothing for ever. */
  private static final int MOST_ROOMS = 64;

  private final String backend;
  private final Place root;
  private final Map<NodeId, Slot> slots = new LinkedHashMap<>();
  private final Map<String, OfShape> shapes = new TreeMap<>();
  private List<Shape> smallestFirst = List.of();
  private List<List<Place>> byDepth = List.of();

  /** For each depth and number there, the number of what that place lies directly in. */
  private int[][] around = {};

  /** For each depth and number there, the only node of a place that nothing else lies in. */
  private Slot[][] only = {};

  /** For each such node how full it is, side by side, since all are compared again and again. */
  private long[][] fullness = {};

  /** For each depth, whether all its places have such a node. */
  private boolean[] alone = {};

  private List<Slot> hosts = List.of();

  private boolean renumber = true;

  /** The nodes of one shape, and what is counted of them. */
  private static final class OfShape {
    final Shape shape;
    final Map<NodeId, Slot> slots = new LinkedHashMap<>();
    final Map<Need, Room> byNeed = new LinkedHashMap<>();
    final Map<Need, Room> byAdmission = new LinkedHashMap<>();
    final List<Room> rooms = new ArrayList<>();
    int numbers;

    OfShape(Shape shape) {
      this.shape = shape;
    }

    Room add(Need need) {
      Room room = new Room(shape.name(), number(), slot -> slot.ranks(need));
      rooms.add(room);
      byNeed.put(need, room);
      return room;
    }

    Room addUsable(Need admission) {
      Room room = new Room(shape.name(), number(), slot -> slot.node().usable(admission) ? 1 : 0);
      byAdmission.put(admission, room);
      return room;
    }

    /** A number for a room; those in use are counted again when they are needed. */
    private int number() {
      if (numbers == MOST_ROOMS) {
        rooms.forEach(Room::retire);
        byAdmission.values().forEach(Room::retire);
        rooms.clear();
        byNeed.clear();
        byAdmission.clear();
        numbers = 0;
      }
      return numbers++;
    }

    void recount(List<List<Place>> byDepth) {
      rooms.forEach(room -> room.recount(byDepth, slots.values()));
      byAdmission.values().forEach(room -> room.recount(byDepth, slots.values()));
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
      become(known, node);
      return known;
    }
    remove(node.id());
    Place place = root;
    for (TopologyPath.Level level : node.topology().levels()) {
      place = place.in(level);
    }
    OfShape ofShape =
        shapes.computeIfAbsent(node.shape().name(), name -> new OfShape(node.shape()));
    Slot slot = new Slot(node, this, place, ofShape.rooms);
    place.nodes().put(node.id(), slot);
    slots.put(node.id(), slot);
    ofShape.slots.put(node.id(), slot);
    renumber = true;
    return slot;
  }

  private void become(Slot slot, NodeView node) {
    change(slot, () -> slot.become(node));
    if (!renumber) {
      ofShape(node.shape().name()).byAdmission.values().forEach(room -> room.look(slot));
    }
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
      smallestFirst = List.of();
    }
    Place place = slot.place();
    place.nodes().remove(id);
    for (Place outer = place.around(); outer != null && place.empty(); outer = place.around()) {
      outer.drop(place);
      place = outer;
    }
    renumber = true;
  }

  /** Changes what is left of a node, and with it every counter that it is in. */
  void change(Slot slot, Runnable mutation) {
    if (renumber) {
      mutation.run();
      return;
    }
    mutation.run();
    Place place = slot.place();
    if (only[place.depth()][place.ordinal] == slot) {
      fullness[place.depth()][place.ordinal] = slot.fullness();
    }
    List<Room> rooms = slot.rooms();
    for (int i = 0; i < rooms.size(); i++) {
      rooms.get(i).look(slot);
    }
  }

  /** The shapes that nodes have: the smallest first, then by name. */
  List<Shape> shapes() {
    if (smallestFirst.size() != shapes.size()) {
      smallestFirst = shapes.values().stream().map(of -> of.shape).sorted(SMALLEST_FIRST).toList();
    }
    return smallestFirst;
  }

  /** Where ranks of a need find room on nodes of a shape. */
  Room room(Shape shape, Need need) {
    number();
    OfShape ofShape = ofShape(shape.name());
    Room known = ofShape.byNeed.get(need);
    if (known != null) {
      return known;
    }
    Room room = ofShape.add(need);
    room.recount(byDepth, ofShape.slots.values());
    return room;
  }

  /**
   * Where nodes of a shape that admit a need are ready, or are expected to be: nodes, not ranks.
   */
  Room usable(Shape shape, Need need) {
    number();
    OfShape ofShape = ofShape(shape.name());
    Need admission = need.admission();
    Room known = ofShape.byAdmission.get(admission);
    if (known != null) {
      return known;
    }
    Room room = ofShape.addUsable(admission);
    room.recount(byDepth, ofShape.slots.values());
    return room;
  }

  /** The places of each depth in topology order, the whole backend first. */
  List<List<Place>> byDepth() {
    number();
    return byDepth;
  }

  /** For each place of a depth, the number of what it lies directly in; not to be changed. */
  int[] around(int depth) {
    number();
    return around[depth];
  }

  /** The only node of a place that nothing else lies in; null for other places. */
  @Nullable Slot only(int depth, int ordinal) {
    return only[depth][ordinal];
  }

  /** Of each {@link #only} node of a depth, {@link Slot#fullness}; not to be changed. */
  long[] fullness(int depth) {
    number();
    return fullness[depth];
  }

  /** Whether each place of a depth has an only node. */
  boolean onlyNodes(int depth) {
    number();
    return alone[depth];
  }

  /**
   * The nodes, each a place by itself: the innermost first, then in topology order. None when some
   * share a place.
   */
  List<Slot> hosts() {
    number();
    return hosts.size() == slots.size() ? hosts : List.of();
  }

  /** What lies directly inside a place. */
  List<Place> inside(Place place) {
    number();
    return place.depth() + 1 == byDepth.size()
        ? List.of()
        : byDepth.get(place.depth() + 1).subList(place.firstInside, place.endInside);
  }

  /** The outermost domains of a level inside a place, itself among them, in topology order. */
  List<Place> domains(Place place, String level) {
    List<Place> domains = new ArrayList<>();
    collect(place, level, domains);
    return domains;
  }

  private void collect(Place place, String level, List<Place> domains) {
    if (place.at(level)) {
      domains.add(place);
    } else {
      inside(place).forEach(inner -> collect(inner, level, domains));
    }
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
    around = new int[levels.size()][];
    only = new Slot[levels.size()][];
    fullness = new long[levels.size()][];
    alone = new boolean[levels.size()];
    for (int depth = 0; depth < around.length; depth++) {
      around[depth] =
          byDepth.get(depth).stream()
              .mapToInt(place -> place.around() == null ? 0 : place.around().ordinal)
              .toArray();
      only[depth] = byDepth.get(depth).stream().map(Place::only).toArray(Slot[]::new);
      alone[depth] = Arrays.stream(only[depth]).allMatch(Objects::nonNull);
      fullness[depth] =
          Arrays.stream(only[depth]).mapToLong(s -> s == null ? 0 : s.fullness()).toArray();
    }
    hosts =
        Stream.iterate(only.length - 1, depth -> depth >= 0, depth -> depth - 1)
            .flatMap(depth -> Arrays.stream(only[depth]).filter(Objects::nonNull))
            .toList();
    order(root, 0);
    shapes.values().forEach(ofShape -> ofShape.recount(byDepth));
    renumber = false;
  }

  /** Numbers the nodes in topology order, from a number on; gives the next one. */
  private static int order(Place place, int from) {
    int next = from;
    for (Slot slot : place.nodes().values()) {
      slot.order = next++;
    }
    for (Place inner : place.inside()) {
      next = order(inner, next);
    }
    return next;
  }
}

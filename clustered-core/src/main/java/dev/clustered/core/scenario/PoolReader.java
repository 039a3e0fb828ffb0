// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.CoolDown;
import dev.clustered.core.plan.LaunchView;
import dev.clustered.core.plan.LevelOrder;
import dev.clustered.core.plan.NodeHealth;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads shapes, nodes, offers, launches and cool-downs. */
final class PoolReader {

  /** More than any node has, and few enough to be listed one by one. */
  private static final int MOST_GPUS = 1_024;

  /** The backend of whoever does not name one. */
  static final String BACKEND = "local";

  private static final String HOST = "host";

  private final Map<String, Shape> shapes = new TreeMap<>();
  private final LevelOrder order = new LevelOrder();

  void shapes(Fields file) {
    for (Fields fields : file.list("shapes", Part.SHAPE)) {
      Shape shape =
          new Shape(
              fields.text("shape"),
              PolicyReader.amounts(fields),
              fields.whole("nics", 0).orElse(0),
              fields.whole("rdma", 0).orElse(0));
      if (shape.resources().gpus() > MOST_GPUS) {
        throw fields.refuse(
            "gpus", "a node has %d GPUs at most".formatted(MOST_GPUS), "put what one node has");
      }
      fields.end();
      if (shapes.put(shape.name(), shape) != null) {
        throw fields.refuse("shape", "this shape stands twice", "give each a name of its own");
      }
      fields.names().add(Names.Kind.SHAPE, shape.name());
    }
  }

  private Shape shape(Fields fields) {
    String name = fields.optionalText("shape").orElse("");
    if (name.isEmpty() && shapes.size() == 1) {
      return shapes.values().iterator().next();
    }
    Shape shape = shapes.get(name);
    if (shape == null) {
      throw fields.refuse(
          "shape", "is none of the shapes of the file", "put one of " + shapes.keySet());
    }
    return shape;
  }

  /** Adds the nodes of a field, each with what gangs do not hold of it. */
  void nodes(List<Fields> groups, World world) {
    for (Fields group : groups) {
      for (Fields fields : group.forEach("nodes")) {
        Machine machine = node(fields);
        if (world.machines.put(machine.id(), machine) != null) {
          throw fields.refuse(
              "nodes",
              "node " + machine.id() + " stands twice",
              "a node is in one pool, at one place");
        }
        order
            .add(machine.id(), machine.backend(), machine.topology())
            .ifPresent(
                otherwise -> {
                  throw fields.refuse("at", otherwise, "write the levels in one order");
                });
        fields.names().add(machine);
      }
    }
  }

  private Machine node(Fields fields) {
    NodeId id = fields.read("nodes", "names of nodes", fields.text("nodes"), NodeId::new);
    Shape shape = shape(fields);
    String backend = fields.optionalText("backend").orElse(BACKEND);
    TopologyPath path =
        fields.read(
            "at", "a path such as zone=z1/rack=r1", fields.text("at"), text -> path(text, id));
    NodeHealth health = fields.word("health", NodeHealth.class).orElse(NodeHealth.READY);
    Set<String> taints = new TreeSet<>(fields.names("taints"));
    LaunchId launch =
        fields.read(
            "launch",
            "the identity of a launch",
            fields.optionalText("launch").orElse("before"),
            LaunchId::new);
    boolean unit = fields.flag("unit", false);
    Resources used =
        fields.object("used", Part.RESOURCES).map(PolicyReader::resources).orElse(Resources.NONE);
    Resources model =
        new Resources(used.gpus(), shape.resources().gpuModel(), used.cpus(), used.memory());
    if (!shape.resources().holds(model)) {
      throw fields.refuse("used", "more is used than the shape has", "at most " + shape);
    }
    Machine machine =
        new Machine(
            id,
            backend,
            shape,
            path,
            health,
            model,
            fields.past("idleSince"),
            launch,
            unit,
            fields.texts("attributes"),
            taints);
    fields.end();
    return machine;
  }

  private static TopologyPath path(String text, NodeId id) {
    List<TopologyPath.Level> levels = new ArrayList<>();
    for (String step : text.isEmpty() ? new String[0] : text.split("/", -1)) {
      int equals = step.indexOf('=');
      if (equals < 1 || equals == step.length() - 1) {
        throw new IllegalArgumentException("each level is a name, = and a value");
      }
      levels.add(new TopologyPath.Level(step.substring(0, equals), step.substring(equals + 1)));
    }
    if (levels.stream().noneMatch(level -> level.name().equals(TopologyPath.ZONE))) {
      throw new IllegalArgumentException("nothing runs on a node of which no zone is known");
    }
    if (levels.stream().noneMatch(level -> level.name().equals(HOST))) {
      levels.add(new TopologyPath.Level(HOST, id.value()));
    }
    return new TopologyPath(levels);
  }

  /** Adds the offers of a field, or puts them in the place of those of the same names. */
  void offers(List<Fields> offers, World world) {
    Set<String> here = new TreeSet<>();
    for (Fields fields : offers) {
      String name = fields.text("offer");
      if (!here.add(name)) {
        throw fields.refuse("offer", "this offer stands twice", "give each a name of its own");
      }
      Offer offer =
          new Offer(
              fields.optionalText("backend").orElse(BACKEND),
              shape(fields),
              fields.text("zone"),
              fields.word("market", Market.class).orElse(Market.ON_DEMAND),
              fields.price("price").orElse(BigDecimal.ZERO),
              fields.duration("boot").orElse(Duration.ZERO),
              available(fields));
      fields.end();
      Names names = fields.names();
      names.add(Names.Kind.OFFER, name);
      names.add(Names.Kind.BACKEND, offer.backend());
      names.add(Names.Kind.ZONE, offer.zone());
      names.add(Names.Kind.LEVEL, TopologyPath.ZONE);
      names.add(Names.Kind.LEVEL, TopologyPath.FABRIC);
      names.add(Names.Kind.LEVEL, HOST);
      world.offers.put(name, offer);
    }
  }

  private static int available(Fields fields) {
    if (fields.value("available").filter(node -> node.isString()).isEmpty()) {
      return fields.requiredWhole("available", 0);
    }
    if (!fields.text("available").equals("unknown")) {
      throw fields.refuse("available", "takes a whole number or unknown", "put one of the two");
    }
    return Integer.MAX_VALUE;
  }

  static LaunchView launch(Fields fields, World world) {
    LaunchId id =
        fields.read("launch", "the identity of a launch", fields.text("launch"), LaunchId::new);
    String offered = fields.text("offer");
    fields.names().require(Names.Kind.OFFER, fields, "offer", offered);
    Offer offer = Objects.requireNonNull(world.offers.get(offered));
    ClusterId gang = GangReader.gang(fields, "gang", fields.text("gang"));
    fields.names().add(Names.Kind.LAUNCH, id.value());
    int nodes = fields.requiredWhole("nodes", 1);
    var decidedAt = fields.past("decidedAt");
    int granted = fields.whole("granted", 0).orElse(0);
    var deadline = fields.moment("deadline");
    fields.end();
    return fields.make(() -> new LaunchView(id, gang, offer, nodes, decidedAt, granted, deadline));
  }

  static CoolDown coolDown(Fields fields) {
    String backend = fields.optionalText("backend").orElse(BACKEND);
    CoolDown coolDown =
        new CoolDown(
            fields.mention(Names.Kind.BACKEND, "backend", backend),
            fields.mention(Names.Kind.ZONE, "zone", fields.text("zone")),
            fields.mention(Names.Kind.SHAPE, "shape", fields.text("shape")),
            fields
                .moment("until")
                .orElseThrow(
                    () -> fields.refuse("until", "is missing", "say when it may be asked again")),
            fields.optionalText("failure").orElse("no capacity"));
    if (!coolDown.until().isAfter(fields.by())) {
      throw fields.refuse(
          "until",
          "it is over at %s already".formatted(fields.by()),
          "put a later moment, or leave it out");
    }
    fields.end();
    return coolDown;
  }
}

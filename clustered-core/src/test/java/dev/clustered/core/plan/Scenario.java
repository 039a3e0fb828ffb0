// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Collects a snapshot for a test, in few words. */
final class Scenario {

  static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  static final Duration IDLE_TIME = Duration.ofMinutes(5);
  static final Shape SMALL = shape("small", 0, 0);
  static final Shape GPU = shape("gpu", 8, 0);
  static final Shape FAST = shape("fast", 8, 3_200);
  static final Optional<RdmaOptions> RDMA = Optional.of(RdmaOptions.DEFAULT);

  final List<NodeView> nodes = new ArrayList<>();
  final List<LaunchView> launches = new ArrayList<>();
  final List<Offer> offers = new ArrayList<>();
  final List<GangRequest> waiting = new ArrayList<>();
  final List<CoolDown> coolDowns = new ArrayList<>();

  private static Shape shape(String name, int gpus, int gigabits) {
    Resources all = new Resources(gpus, gpus == 0 ? "" : "H200", 16, ByteSize.gibibytes(64));
    return new Shape(name, all, gigabits == 0 ? 0 : 8, gigabits);
  }

  static Resources gpus(int count) {
    return new Resources(count, "", 0, ByteSize.ZERO);
  }

  static Resources cpus(int count) {
    return new Resources(0, "", count, ByteSize.ZERO);
  }

  static NodeView node(String id, Shape shape, String zone, String fabric) {
    TopologyPath path =
        fabric.isEmpty()
            ? TopologyPath.of("zone", zone, "host", id)
            : TopologyPath.of("zone", zone, "fabric", fabric, "host", id);
    return at(id, shape, path);
  }

  static NodeView at(String id, Shape shape, TopologyPath path) {
    return new NodeView(
        new NodeId(id),
        "local",
        shape,
        path,
        shape.resources(),
        NodeHealth.READY,
        IntStream.range(0, shape.resources().gpus()).boxed().toList(),
        0,
        Optional.of(NOW),
        new LaunchId("l"));
  }

  static NodeView idleFor(NodeView node, Duration time) {
    return new NodeView(
        node.id(),
        node.backend(),
        node.shape(),
        node.topology(),
        node.free(),
        node.health(),
        node.freeGpus(),
        0,
        Optional.of(NOW.minus(time)),
        node.launch());
  }

  static NodeView in(NodeView node, NodeHealth health) {
    return new NodeView(
        node.id(),
        node.backend(),
        node.shape(),
        node.topology(),
        node.free(),
        health,
        node.freeGpus(),
        node.holders(),
        node.idleSince(),
        node.launch());
  }

  /** The same, brought by another launch. */
  static NodeView broughtBy(String launch, NodeView node) {
    return new NodeView(
        node.id(),
        node.backend(),
        node.shape(),
        node.topology(),
        node.free(),
        node.health(),
        node.freeGpus(),
        node.holders(),
        node.idleSince(),
        new LaunchId(launch));
  }

  static NodeView used(NodeView node, Resources part) {
    List<Integer> gpus = node.freeGpus().subList(part.gpus(), node.freeGpus().size());
    return new NodeView(
        node.id(),
        node.backend(),
        node.shape(),
        node.topology(),
        node.free().minus(part),
        node.health(),
        gpus,
        node.holders() + 1,
        Optional.empty(),
        node.launch());
  }

  static NodeView busy(NodeView node) {
    return used(node, node.free());
  }

  static Offer offer(Shape shape, String zone, int available, String price) {
    return new Offer(
        "local",
        shape,
        zone,
        Market.ON_DEMAND,
        new BigDecimal(price),
        Duration.ofSeconds(60),
        available);
  }

  static GangRequest gang(String id, int nodes) {
    return new GangRequest(
        new ClusterId(id),
        nodes,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        NOW);
  }

  static GangRequest ofShape(GangRequest g, String shape) {
    return new GangRequest(
        g.id(), g.nodes(), Optional.of(shape), g.each(), g.rdma(), g.backend(), NOW);
  }

  static GangRequest each(GangRequest g, Resources each) {
    return new GangRequest(
        g.id(), g.nodes(), g.shape(), Optional.of(each), g.rdma(), g.backend(), NOW);
  }

  static GangRequest rdma(GangRequest g) {
    return new GangRequest(g.id(), g.nodes(), g.shape(), g.each(), RDMA, g.backend(), NOW);
  }

  static GangRequest onBackend(GangRequest g, String backend) {
    return new GangRequest(
        g.id(), g.nodes(), g.shape(), g.each(), g.rdma(), Optional.of(backend), NOW);
  }

  Scenario nodes(NodeView... more) {
    nodes.addAll(List.of(more));
    return this;
  }

  /** A node is lost that may come back, so nothing is said for ever. */
  Scenario mayGrow() {
    nodes.add(in(node("away", GPU, "z", ""), NodeHealth.LOST));
    return this;
  }

  Scenario offers(Offer... more) {
    offers.addAll(List.of(more));
    return this;
  }

  Scenario gangs(GangRequest... more) {
    waiting.addAll(List.of(more));
    return this;
  }

  Scenario inFlight(String gang, Offer offer, int count) {
    launches.add(
        new LaunchView(
            new LaunchId("to-" + gang), new ClusterId(gang), offer, count, Optional.of(NOW)));
    return this;
  }

  Scenario coolDown(Offer offer, Duration left) {
    coolDowns.add(
        new CoolDown(
            offer.backend(), offer.zone(), offer.shape().name(), NOW.plus(left), "no capacity"));
    return this;
  }

  Snapshot snapshot() {
    return new Snapshot(
        NOW, nodes, launches, offers, waiting, coolDowns, new PlanPolicy(IDLE_TIME));
  }

  List<Decision> plan() {
    return Planner.plan(snapshot()).decisions();
  }
}

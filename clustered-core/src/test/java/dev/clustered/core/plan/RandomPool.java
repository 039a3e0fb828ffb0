// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;

/** Random small pools, and what carrying out a plan makes of them. */
final class RandomPool {

  static final Comparator<NodeView> BY_PLACE =
      Comparator.comparing((NodeView node) -> node.topology().toString())
          .thenComparing(NodeView::id);

  private static final List<Shape> SHAPES = List.of(Scenario.SMALL, Scenario.GPU, Scenario.FAST);

  private final Random random;
  private final Scenario scenario = new Scenario();

  private RandomPool(long seed) {
    random = new Random(seed);
  }

  static Snapshot snapshot(long seed) {
    RandomPool pool = new RandomPool(seed);
    pool.fill();
    return pool.scenario.snapshot();
  }

  private <T> T one(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private boolean oneIn(int number) {
    return random.nextInt(number) == 0;
  }

  private void fill() {
    int nodes = random.nextInt(10);
    for (int i = 0; i < nodes; i++) {
      scenario.nodes(node("n" + i));
    }
    for (Shape shape : SHAPES) {
      for (String zone : List.of("y", "z")) {
        if (!oneIn(3)) {
          int available = oneIn(8) ? Integer.MAX_VALUE : random.nextInt(4);
          scenario.offers(
              Scenario.offer(shape, zone, available, Integer.toString(random.nextInt(3))));
        }
      }
    }
    int gangs = random.nextInt(5);
    for (int i = 0; i < gangs; i++) {
      scenario.gangs(gang("g" + i));
    }
    if (!scenario.offers.isEmpty()) {
      if (oneIn(4)) {
        Offer offer = one(scenario.offers);
        scenario.inFlight("g" + random.nextInt(4), offer, 1 + random.nextInt(3));
      }
      if (oneIn(3)) {
        scenario.coolDown(one(scenario.offers), Duration.ofSeconds(random.nextInt(3)));
      }
    }
  }

  private NodeView node(String id) {
    Shape shape = one(SHAPES);
    String fabric = shape.equals(Scenario.FAST) ? one(List.of("f1", "f2")) : "";
    NodeView node = Scenario.node(id, shape, one(List.of("y", "z")), fabric);
    if (oneIn(3)) {
      node = Scenario.used(node, Scenario.cpus(1 + random.nextInt(16)));
    } else if (oneIn(3) && shape.resources().gpus() > 0) {
      node = Scenario.used(node, Scenario.gpus(1 + random.nextInt(8)));
    } else if (oneIn(3)) {
      node = Scenario.idleFor(node, Duration.ofMinutes(random.nextInt(10)));
    }
    return oneIn(5) ? Scenario.in(node, one(List.of(NodeHealth.values()))) : node;
  }

  private GangRequest gang(String id) {
    GangRequest gang = Scenario.gang(id, 1 + random.nextInt(4));
    if (oneIn(3)) {
      gang = Scenario.ofShape(gang, one(SHAPES).name());
    }
    if (oneIn(3)) {
      int count = 1 + random.nextInt(8);
      gang = Scenario.each(gang, oneIn(2) ? Scenario.gpus(count) : Scenario.cpus(count));
    }
    return oneIn(4) ? Scenario.rdma(gang) : gang;
  }

  /** Written apart from the planner's own way to say it. */
  static boolean holds(NodeView node, GangRequest gang) {
    if (node.health() != NodeHealth.READY) {
      return false;
    }
    boolean whole = gang.each().isEmpty() || gang.rdma().isPresent();
    return whole ? node.holders() == 0 : node.free().holds(gang.each().orElseThrow());
  }

  static boolean cools(CoolDown coolDown, Offer offer) {
    return coolDown.until().isAfter(Scenario.NOW)
        && coolDown.zone().equals(offer.zone())
        && coolDown.shape().equals(offer.shape().name());
  }

  /** The node without what a rank takes; fails when it is not there. */
  static NodeView taken(NodeView node, GangRequest gang, Assignment assignment) {
    if (!holds(node, gang) || !node.freeGpus().containsAll(assignment.gpus())) {
      throw new AssertionError(gang + " does not fit on " + node);
    }
    Resources part = gang.need().takes(node.shape());
    if (part.gpus() != assignment.gpus().size()) {
      throw new AssertionError(part + " is not " + assignment);
    }
    TreeSet<Integer> gpus = new TreeSet<>(node.freeGpus());
    gpus.removeAll(assignment.gpus());
    return new NodeView(
        node.id(),
        node.backend(),
        node.shape(),
        node.topology(),
        node.free().minus(part),
        node.health(),
        List.copyOf(gpus),
        node.holders() + 1,
        Optional.empty(),
        node.launch());
  }

  /** The snapshot that the engine would make next, before any backend has answered. */
  static Snapshot carriedOut(Snapshot before, Plan plan) {
    Scenario after = new Scenario();
    after.nodes.addAll(before.nodes());
    after.launches.addAll(before.launches());
    after.offers.addAll(before.offers());
    after.waiting.addAll(before.waiting());
    after.coolDowns.addAll(before.coolDowns());
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Place place -> {
          GangRequest gang = request(before, place.gang());
          place.assignments().forEach(a -> replace(after, a.node(), n -> taken(n, gang, a)));
          after.waiting.remove(gang);
        }
        case Launch launch -> {
          after.inFlight(launch.gang().value(), launch.offer(), launch.nodes());
          after.offers.replaceAll(o -> reduced(o, launch));
        }
        case Release release ->
            release
                .nodes()
                .forEach(id -> replace(after, id, n -> Scenario.in(n, NodeHealth.CORDONED)));
        case Refuse refuse -> after.waiting.remove(request(before, refuse.gang()));
        case Wait wait -> {}
        case Decision.Preempt d -> throw new AssertionError(d);
        case Decision.Migrate d -> throw new AssertionError(d);
        case Decision.Replace d -> throw new AssertionError(d);
        case Decision.Resize d -> throw new AssertionError(d);
        case Decision.Grow d -> throw new AssertionError(d);
        case Decision.Requeue d -> throw new AssertionError(d);
      }
    }
    return after.snapshot();
  }

  private static GangRequest request(Snapshot snapshot, ClusterId id) {
    return snapshot.waiting().stream().filter(g -> g.id().equals(id)).findFirst().orElseThrow();
  }

  private static void replace(
      Scenario scenario, NodeId id, java.util.function.UnaryOperator<NodeView> change) {
    List<NodeView> changed = new ArrayList<>();
    scenario.nodes.forEach(n -> changed.add(n.id().equals(id) ? change.apply(n) : n));
    scenario.nodes.clear();
    scenario.nodes.addAll(changed);
  }

  private static Offer reduced(Offer offer, Launch launch) {
    if (offer.available() == Integer.MAX_VALUE || !offer.zone().equals(launch.offer().zone())) {
      return offer;
    }
    return new Offer(
        offer.backend(),
        offer.shape(),
        offer.zone(),
        offer.market(),
        offer.hourlyPrice(),
        offer.bootTime(),
        Math.max(0, offer.available() - launch.nodes()));
  }
}

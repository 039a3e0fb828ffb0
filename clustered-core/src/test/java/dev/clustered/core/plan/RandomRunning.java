// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.core.plan.PlanPolicy.Launching;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Random small pools with gangs that run and have lost nodes, and what a plan makes of them. */
final class RandomRunning {

  private final Random random;
  private final Running pool = new Running();

  private RandomRunning(long seed) {
    random = new Random(seed);
  }

  static Snapshot snapshot(long seed) {
    RandomRunning made = new RandomRunning(seed);
    made.fill();
    return made.pool.snapshot();
  }

  private boolean oneIn(int number) {
    return random.nextInt(number) == 0;
  }

  private <T> T one(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private void fill() {
    pool.policy = pool.policy.withPreemption(PlanPolicy.Preemption.NONE);
    nodes();
    run();
    lose();
    for (int i = random.nextInt(3); i > 0; i--) {
      pool.scenario.gangs(gang("w" + i));
    }
    Offer offer = Scenario.offer(Scenario.FAST, "z", random.nextInt(4), "1");
    if (oneIn(2)) {
      pool.scenario.offers(offer);
    }
    if (oneIn(4)) {
      pool.scenario.coolDown(offer, Duration.ofSeconds(5));
    }
    if (oneIn(3)) {
      launch(offer);
    }
    if (oneIn(2)) {
      pool.policy = pool.policy.withLaunching(Launching.DEFAULT.withLate(Launching.Late.KEEP));
    }
  }

  private void nodes() {
    for (String fabric : List.of("f1", "f2")) {
      for (String rack : List.of("r1", "r10")) {
        for (int host = 1 + random.nextInt(4); host > 0; host--) {
          String id = fabric + rack + "h" + host;
          NodeView node =
              Scenario.at(
                  id,
                  Scenario.FAST,
                  TopologyPath.of("zone", "z", "fabric", fabric, "rack", rack, "host", id));
          node = Scenario.idleFor(node, Duration.ofMinutes(random.nextInt(7)));
          pool.nodes(oneIn(3) ? node.inUnit() : node);
        }
      }
    }
  }

  private GangRequest gang(String id) {
    GangRequest gang = Scenario.gang(id, 1 + random.nextInt(4));
    if (oneIn(3)) {
      gang = Scenario.each(gang, Scenario.gpus(1 + random.nextInt(8)));
    }
    if (oneIn(4)) {
      gang = Scenario.rdma(gang);
    }
    if (oneIn(3)) {
      gang = gang.withLayout(Layout.ANY.withRequired("rack"));
    } else if (oneIn(2) && gang.nodes() % 2 == 0) {
      gang = gang.withLayout(Layout.ANY.withBlocks("rack", 2));
    }
    Role role = gang.roles().getFirst();
    if (oneIn(2) && gang.layout().blocks().isEmpty()) {
      gang = gang.withRoles(List.of(role.withMinimum(1 + random.nextInt(role.nodes()))));
    }
    return gang.withPriority(random.nextInt(2));
  }

  /** Gangs where the planner places them. */
  private void run() {
    for (int i = 0; i < 3; i++) {
      pool.scenario.gangs(gang("g" + i));
    }
    List<GangRequest> asked = List.copyOf(pool.scenario.waiting);
    List<Decision> plan = Planner.plan(pool.snapshot()).decisions();
    pool.scenario.waiting.clear();
    for (Decision decision : plan) {
      if (decision instanceof Place place) {
        GangRequest gang =
            asked.stream().filter(g -> g.id().equals(place.gang())).findFirst().orElseThrow();
        List<Member> members = new ArrayList<>();
        place.assignments().forEach(a -> members.add(member(gang, members.size(), a)));
        Optional<Instant> end =
            oneIn(3) ? Optional.of(Scenario.NOW.plusSeconds(random.nextInt(99))) : Optional.empty();
        pool.gangs.add(
            new RunningGang(
                gang,
                members,
                List.of(),
                Running.STARTED,
                end,
                RunningGang.Phase.RUNNING,
                Optional.empty()));
      }
    }
    pool.gangs.replaceAll(gang -> oneIn(2) ? gang : withSpare(gang));
  }

  private RunningGang withSpare(RunningGang gang) {
    List<Holding> spares = new ArrayList<>();
    Optional<NodeView> free =
        pool.scenario.nodes.stream().filter(NodeView::empty).skip(random.nextInt(3)).findFirst();
    free.ifPresent(
        node -> {
          int gpus = gang.request().need().takes(node.shape()).gpus();
          spares.add(
              held(gang.request(), new Assignment(node.id(), node.freeGpus().subList(0, gpus))));
        });
    return new RunningGang(
        gang.request(),
        gang.members(),
        spares,
        gang.startedAt(),
        gang.expectedEnd(),
        gang.phase(),
        gang.endsFor());
  }

  private Member member(GangRequest gang, int rank, Assignment at) {
    return new Member(rank, Role.ONLY, held(gang, at));
  }

  private Holding held(GangRequest gang, Assignment at) {
    NodeView node = pool.node(at.node().value());
    pool.replace(RandomPool.taken(node, gang, at));
    return new Holding(at.node(), gang.need().takes(node.shape()), at.gpus());
  }

  private void lose() {
    for (NodeView node : List.copyOf(pool.scenario.nodes)) {
      if (oneIn(node.holders() > 0 ? 3 : 8)) {
        String id = node.id().value();
        switch (random.nextInt(4)) {
          case 0 -> pool.gone(id);
          case 1 -> pool.health(NodeHealth.FAULTY, id);
          case 2 -> pool.health(NodeHealth.CORDONED, id);
          default -> pool.lost(id);
        }
      }
    }
  }

  private void launch(Offer offer) {
    List<ClusterId> gangs = new ArrayList<>();
    pool.gangs.forEach(gang -> gangs.add(gang.id()));
    pool.scenario.waiting.forEach(gang -> gangs.add(gang.id()));
    if (gangs.isEmpty()) {
      return;
    }
    int nodes = 1 + random.nextInt(3);
    int granted = random.nextInt(nodes + 1);
    LaunchId id = new LaunchId("under-way");
    pool.scenario.launches.add(
        new LaunchView(id, one(gangs), offer, nodes, Optional.of(Scenario.NOW))
            .withGranted(granted, Scenario.NOW.plusSeconds(random.nextInt(2))));
    for (int i = 0; i < granted; i++) {
      NodeView node =
          Scenario.at(
              "new" + i,
              Scenario.FAST,
              TopologyPath.of("zone", "z", "fabric", "f1", "rack", "r3", "host", "new" + i));
      pool.nodes(
          new NodeView(
              node.id(),
              node.backend(),
              node.shape(),
              node.topology(),
              node.free(),
              oneIn(2) ? NodeHealth.READY : NodeHealth.BOOTING,
              node.freeGpus(),
              0,
              node.idleSince(),
              id));
    }
  }

  /** The snapshot that the engine would make next; gangs that must wait anew are left out. */
  static Snapshot carriedOut(Snapshot before, Plan plan) {
    Running after = new Running();
    after.policy = before.policy();
    after.nodes(before.nodes().toArray(NodeView[]::new));
    after.gangs.addAll(before.running());
    after.scenario.launches.addAll(before.launches());
    after.scenario.offers.addAll(before.offers());
    after.scenario.waiting.addAll(before.waiting());
    after.scenario.coolDowns.addAll(before.coolDowns());
    int launches = 0;
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Place place -> {
          GangRequest gang = waiting(before, place.gang());
          place
              .assignments()
              .forEach(a -> after.replace(RandomPool.taken(after.node(a.node().value()), gang, a)));
          after.scenario.waiting.remove(gang);
        }
        case Decision.Launch launch -> {
          launches++;
          after.scenario.launches.add(
              new LaunchView(
                  new LaunchId("then-" + launches),
                  launch.gang(),
                  launch.offer(),
                  launch.nodes(),
                  Optional.of(Scenario.NOW)));
          after.scenario.offers.replaceAll(offer -> less(offer, launch.nodes()));
        }
        case Decision.Replace replace ->
            after.gangs.replaceAll(
                g -> g.id().equals(replace.gang()) ? replaced(after, g, replace) : g);
        case Decision.Resize resize ->
            after.gangs.replaceAll(g -> g.id().equals(resize.gang()) ? resized(g, resize) : g);
        case Decision.Grow grow ->
            after.gangs.replaceAll(g -> g.id().equals(grow.gang()) ? grown(after, g, grow) : g);
        case Decision.Requeue requeue ->
            after.gangs.replaceAll(
                g -> g.id().equals(requeue.gang()) ? g.withPhase(RunningGang.Phase.ENDING) : g);
        case Decision.Release release ->
            release.nodes().forEach(id -> after.health(NodeHealth.CORDONED, id.value()));
        case Decision.Refuse refuse ->
            after.scenario.waiting.remove(waiting(before, refuse.gang()));
        case Decision.Wait wait -> {}
        case Decision.Preempt d -> throw new AssertionError(d);
        case Decision.Migrate d -> throw new AssertionError(d);
      }
    }
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Requeue requeue) {
        cancelLaunches(before, after, requeue.gang());
      }
    }
    return after.snapshot();
  }

  private static void cancelLaunches(Snapshot before, Running after, ClusterId gang) {
    for (LaunchView launch : before.launches()) {
      if (launch.gang().equals(gang)) {
        after.scenario.launches.remove(launch);
        after.scenario.nodes.replaceAll(
            n ->
                n.launch().equals(launch.id()) && n.holders() == 0
                    ? Scenario.in(n, NodeHealth.CORDONED)
                    : n);
      }
    }
  }

  private static Offer less(Offer offer, int nodes) {
    return Scenario.offer(offer.shape(), offer.zone(), Math.max(0, offer.available() - nodes), "1");
  }

  private static GangRequest waiting(Snapshot snapshot, ClusterId id) {
    return snapshot.waiting().stream().filter(g -> g.id().equals(id)).findFirst().orElseThrow();
  }

  private static RunningGang replaced(Running after, RunningGang gang, Decision.Replace replace) {
    List<Member> members = new ArrayList<>(gang.members());
    List<Holding> spares = new ArrayList<>(gang.spares());
    for (Replacement r : replace.replacements()) {
      NodeView node = after.node(r.to().node().value());
      Holding to =
          new Holding(r.to().node(), gang.request().need().takes(node.shape()), r.to().gpus());
      if (r.spare()) {
        if (!spares.removeIf(s -> s.node().equals(to.node()))) {
          throw new AssertionError(r + " is no spare of " + gang);
        }
      } else {
        after.replace(RandomPool.taken(node, gang.request(), r.to()));
      }
      if (r.rank() == Replacement.SPARE) {
        spares.removeIf(s -> s.node().equals(r.lost()));
        spares.add(to);
      } else {
        members.replaceAll(m -> m.rank() == r.rank() ? new Member(r.rank(), m.role(), to) : m);
      }
    }
    return new RunningGang(
        gang.request(),
        members,
        spares,
        gang.startedAt(),
        gang.expectedEnd(),
        gang.phase(),
        gang.endsFor());
  }

  private static RunningGang resized(RunningGang gang, Decision.Resize resize) {
    Set<Integer> stay = new TreeSet<>(resize.ranks());
    return new RunningGang(
        gang.request(),
        gang.members().stream().filter(m -> stay.contains(m.rank())).toList(),
        gang.spares(),
        gang.startedAt(),
        gang.expectedEnd(),
        gang.phase(),
        gang.endsFor());
  }

  private static RunningGang grown(Running after, RunningGang gang, Decision.Grow grow) {
    List<Member> members = new ArrayList<>(gang.members());
    for (Assignment at : grow.assignments()) {
      members.add(new Member(members.getLast().rank() + 1, Role.ONLY, more(after, gang, at)));
    }
    List<Holding> spares = new ArrayList<>(gang.spares());
    grow.spares().forEach(at -> spares.add(more(after, gang, at)));
    return gang.with(members, spares);
  }

  private static Holding more(Running after, RunningGang gang, Assignment at) {
    NodeView node = after.node(at.node().value());
    after.replace(RandomPool.taken(node, gang.request(), at)); // Fails when it is not free.
    return new Holding(at.node(), gang.request().need().takes(node.shape()), at.gpus());
  }

  /** Of the gangs that run some are between two attempts, ask for more ranks, or lack spares. */
  static Snapshot growing(long seed) {
    Snapshot snapshot = snapshot(seed);
    Random random = new Random(seed * 31 + 7);
    List<RunningGang> gangs = new ArrayList<>();
    for (RunningGang gang : snapshot.running()) {
      Role role = gang.request().roles().getFirst();
      int ranks = gang.members().size();
      boolean elastic = random.nextBoolean() && gang.request().layout().blocks().isEmpty();
      Role wanted =
          elastic
              ? new Role(
                  role.name(),
                  ranks + random.nextInt(4),
                  Math.min(role.minimum(), ranks),
                  role.need(),
                  role.layout())
              : role;
      int spares = gang.spares().size() + (random.nextBoolean() ? random.nextInt(3) : 0);
      RunningGang asks = gang.asking(gang.request().withRoles(List.of(wanted)).withSpares(spares));
      gangs.add(random.nextInt(3) > 0 ? asks.withPhase(RunningGang.Phase.RESTARTING) : asks);
    }
    boolean quiet = random.nextInt(3) > 0;
    return new Snapshot(
        snapshot.now(),
        snapshot.nodes(),
        snapshot.launches(),
        snapshot.offers(),
        quiet ? List.of() : snapshot.waiting(),
        snapshot.coolDowns(),
        snapshot.policy(),
        gangs,
        snapshot.uses());
  }

  /** Whether whoever is on a node needs another; told apart from the planner's own way. */
  static boolean lost(Snapshot snapshot, NodeId id) {
    return snapshot.nodes().stream()
        .filter(n -> n.id().equals(id))
        .allMatch(n -> n.health() == NodeHealth.LOST || n.health() == NodeHealth.FAULTY);
  }
}

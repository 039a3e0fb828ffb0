// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Replace;
import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.core.plan.Decision.Requeue;
import dev.clustered.core.plan.Decision.Resize;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties of every repair, over random snapshots; a failure names its seed. */
class RepairPropertiesTest {

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 200);
  }

  private static <T extends Decision> List<T> only(Plan plan, Class<T> type) {
    return plan.decisions().stream().filter(type::isInstance).map(type::cast).toList();
  }

  private static RunningGang gang(Snapshot snapshot, ClusterId id) {
    return snapshot.running().stream().filter(g -> g.id().equals(id)).findFirst().orElseThrow();
  }

  private static Optional<NodeView> node(Snapshot snapshot, NodeId id) {
    return snapshot.nodes().stream().filter(n -> n.id().equals(id)).findFirst();
  }

  /** The path of a node down to a level; unlike a name it stands for one domain alone. */
  private static String domain(NodeView node, String level) {
    String path = node.topology().toString();
    int at = path.indexOf(level + "=");
    int end = path.indexOf('/', at);
    return end < 0 ? path : path.substring(0, end);
  }

  /** That the ranks lie as the layout says, as far as their nodes are known. */
  private static void assertLiesWell(long seed, Snapshot after, RunningGang gang) {
    Map<Integer, NodeView> at = new TreeMap<>();
    gang.members().forEach(m -> node(after, m.at().node()).ifPresent(n -> at.put(m.rank(), n)));
    assertOneDomain(seed, at, TopologyPath.ZONE, Integer.MAX_VALUE);
    GangRequest request = gang.request();
    if (request.rdma().isPresent()) {
      assertOneDomain(seed, at, TopologyPath.FABRIC, Integer.MAX_VALUE);
    }
    request.layout().required().ifPresent(l -> assertOneDomain(seed, at, l, Integer.MAX_VALUE));
    request.layout().blocks().forEach(b -> assertOneDomain(seed, at, b.level(), b.ranks()));
    assertThat(gang.members().stream().map(m -> m.at().node()).distinct())
        .as("seed %d: a node for each rank of %s", seed, gang)
        .hasSize(gang.members().size());
  }

  private static void assertOneDomain(
      long seed, Map<Integer, NodeView> at, String level, int ranks) {
    Map<Integer, Set<String>> domains = new TreeMap<>();
    at.forEach(
        (rank, node) ->
            domains.computeIfAbsent(rank / ranks, b -> new TreeSet<>()).add(domain(node, level)));
    assertThat(domains.values()).as("seed %d: %s", seed, at).allMatch(one -> one.size() == 1);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void givesNoNodeTwiceAndEveryReplacementInItsDomain(long seed) {
    Snapshot snapshot = RandomRunning.snapshot(seed);
    Plan plan = Planner.plan(snapshot);
    Snapshot after = RandomRunning.carriedOut(snapshot, plan); // Fails when a part is not there.

    for (Replace replace : only(plan, Replace.class)) {
      RunningGang gang = gang(snapshot, replace.gang());
      assertLiesWell(seed, after, gang(after, replace.gang()));
      for (Replacement r : replace.replacements()) {
        assertThat(RandomRunning.lost(snapshot, r.lost())).as("seed %d: %s", seed, r).isTrue();
        assertThat(node(snapshot, r.to().node())).get().matches(NodeView::ready);
        assertThat(gang.members()).noneMatch(m -> m.at().node().equals(r.to().node()));
      }
    }
    Set<NodeId> given = new TreeSet<>();
    only(plan, Place.class).forEach(p -> p.assignments().forEach(a -> given.add(a.node())));
    only(plan, Replace.class).forEach(p -> p.replacements().forEach(r -> given.add(r.to().node())));
    snapshot.running().forEach(g -> Tenancy.nodes(g).forEach(given::add));
    only(plan, Release.class).forEach(r -> assertThat(r.nodes()).noneMatch(given::contains));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void leavesNoGangThatLostARankWithoutAnAnswerAndTouchesNoOther(long seed) {
    Snapshot snapshot = RandomRunning.snapshot(seed);
    Plan plan = Planner.plan(snapshot);
    Snapshot after = RandomRunning.carriedOut(snapshot, plan);

    for (RunningGang gang : snapshot.running()) {
      List<Decision> own =
          plan.decisions().stream().filter(d -> gang.id().equals(Tenancy.gang(d))).toList();
      boolean hurt =
          gang.members().stream().anyMatch(m -> RandomRunning.lost(snapshot, m.at().node()));
      if (!hurt) {
        assertThat(own).as("seed %d: %s", seed, gang).allMatch(RepairPropertiesTest::sparesOnly);
        continue;
      }
      assertThat(own).as("seed %d: %s", seed, gang).isNotEmpty();
      boolean waits = own.stream().anyMatch(d -> d instanceof Wait || d instanceof Launch);
      boolean ends = own.stream().anyMatch(Requeue.class::isInstance);
      if (!waits && !ends) {
        RunningGang then = gang(after, gang.id());
        assertThat(then.members())
            .as("seed %d: %s", seed, own)
            .noneMatch(m -> RandomRunning.lost(after, m.at().node()))
            .hasSizeGreaterThanOrEqualTo(gang.request().minimum());
      }
    }
  }

  private static boolean sparesOnly(Decision decision) {
    return decision instanceof Replace replace
        && replace.replacements().stream().allMatch(r -> r.rank() == Replacement.SPARE);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void givesUpOnARankOnlyWhenNoNodeWouldDo(long seed) {
    Snapshot snapshot = RandomRunning.snapshot(seed);
    Plan plan = Planner.plan(snapshot);
    for (RunningGang gang : snapshot.running()) {
      List<Member> lost =
          gang.members().stream().filter(m -> RandomRunning.lost(snapshot, m.at().node())).toList();
      boolean replaced =
          only(plan, Replace.class).stream().anyMatch(r -> r.gang().equals(gang.id()));
      boolean othersWait = // What was found for them so far is kept.
          plan.decisions().stream()
              .filter(d -> d instanceof Wait || d instanceof Launch)
              .map(Tenancy::gang)
              .anyMatch(id -> snapshot.running().stream().anyMatch(g -> g.id().equals(id)));
      if (lost.size() != 1 || replaced || othersWait || gang.members().size() < 2) {
        continue;
      }
      Member member = lost.getFirst();
      List<NodeView> would =
          snapshot.nodes().stream()
              .filter(n -> RandomPool.holds(n, gang.request()))
              .filter(n -> !Tenancy.nodes(gang).contains(n.id()))
              .filter(n -> snapshot.launches().stream().noneMatch(l -> l.id().equals(n.launch())))
              .filter(n -> Tenancy.given(plan).stream().noneMatch(n.id()::equals))
              .filter(n -> liesWell(snapshot, gang, member.rank(), n))
              .toList();

      assertThat(would).as("seed %d: %s of %s", seed, member, gang).isEmpty();
    }
  }

  private static boolean liesWell(Snapshot snapshot, RunningGang gang, int rank, NodeView node) {
    for (Member other : gang.members()) {
      Optional<NodeView> at = node(snapshot, other.at().node());
      if (other.rank() == rank || at.isEmpty()) {
        continue;
      }
      boolean well =
          gang.request().layout().required().stream().allMatch(l -> same(l, at.get(), node))
              && (gang.request().rdma().isEmpty() || same("fabric", at.get(), node))
              && gang.request().layout().blocks().stream()
                  .filter(b -> other.rank() / b.ranks() == rank / b.ranks())
                  .allMatch(b -> same(b.level(), at.get(), node));
      if (!well) {
        return false;
      }
    }
    return true;
  }

  private static boolean same(String level, NodeView one, NodeView other) {
    return domain(one, level).equals(domain(other, level));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void onlyWaitsOnceThePlanIsCarriedOut(long seed) {
    Snapshot snapshot = RandomRunning.snapshot(seed);
    Plan plan = Planner.plan(snapshot);
    if (!only(plan, Requeue.class).isEmpty()) {
      return; // Others wait for what those free that end now, and need other nodes no more.
    }

    assertThat(Planner.plan(RandomRunning.carriedOut(snapshot, plan)).decisions())
        .as("seed %d: after %s", seed, plan)
        .hasOnlyElementsOfType(Wait.class);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void doesNotDependOnTheOrderOfItsInput(long seed) {
    Snapshot snapshot = RandomRunning.snapshot(seed);
    Random random = new Random(seed);
    List<NodeView> nodes = new ArrayList<>(snapshot.nodes());
    List<RunningGang> running = new ArrayList<>(snapshot.running());
    Collections.shuffle(nodes, random);
    Collections.shuffle(running, random);
    Snapshot other =
        new Snapshot(
            snapshot.now(),
            nodes,
            snapshot.launches(),
            snapshot.offers(),
            snapshot.waiting(),
            snapshot.coolDowns(),
            snapshot.policy(),
            running,
            snapshot.uses());

    assertThat(Planner.plan(other)).as("seed %d", seed).isEqualTo(Planner.plan(snapshot));
  }

  @Test
  void meetsEveryWayToRepairAmongTheseSeeds() {
    Map<String, Integer> counts = new TreeMap<>();
    seeds()
        .mapToObj(seed -> Planner.plan(RandomRunning.snapshot(seed)))
        .flatMap(plan -> plan.decisions().stream())
        .forEach(d -> counts.merge(d.getClass().getSimpleName(), 1, Integer::sum));

    assertThat(counts)
        .containsKeys("Replace", "Launch", "Wait", "Resize", "Requeue", "Place", "Release");
  }

  /** Small questions about gangs and decisions. */
  private static final class Tenancy {

    static Set<NodeId> nodes(RunningGang gang) {
      Set<NodeId> nodes = new TreeSet<>();
      gang.members().forEach(m -> nodes.add(m.at().node()));
      gang.spares().forEach(s -> nodes.add(s.node()));
      return nodes;
    }

    static Set<NodeId> given(Plan plan) {
      Set<NodeId> nodes = new TreeSet<>();
      only(plan, Place.class).forEach(p -> p.assignments().forEach(a -> nodes.add(a.node())));
      only(plan, Replace.class)
          .forEach(p -> p.replacements().forEach(r -> nodes.add(r.to().node())));
      return nodes;
    }

    static ClusterId gang(Decision decision) {
      return switch (decision) {
        case Replace d -> d.gang();
        case Launch d -> d.gang();
        case Wait d -> d.gang();
        case Resize d -> d.gang();
        case Decision.Grow d -> d.gang();
        case Requeue d -> d.gang();
        case Place d -> d.gang();
        case Decision.Refuse d -> d.gang();
        case Decision.Preempt d -> d.gang();
        case Decision.Migrate d -> d.gang();
        case Release d -> new ClusterId("none");
      };
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Grow;
import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Requeue;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties of what running gangs get more, over random snapshots; a failure names its seed. */
class GrowthPropertiesTest {

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 500);
  }

  private static List<Grow> grows(Plan plan) {
    return plan.decisions().stream().filter(Grow.class::isInstance).map(Grow.class::cast).toList();
  }

  private static RunningGang gang(Snapshot snapshot, ClusterId id) {
    return snapshot.running().stream().filter(g -> g.id().equals(id)).findFirst().orElseThrow();
  }

  private static NodeView node(Snapshot snapshot, NodeId id) {
    return snapshot.nodes().stream().filter(n -> n.id().equals(id)).findFirst().orElseThrow();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void givesNoPartTwiceAndNoGangMoreThanItAskedFor(long seed) {
    Snapshot snapshot = RandomRunning.growing(seed);
    Plan plan = Planner.plan(snapshot);
    Snapshot after = RandomRunning.carriedOut(snapshot, plan); // Fails when a part is not there.

    for (Grow grow : grows(plan)) {
      RunningGang before = gang(snapshot, grow.gang());
      RunningGang grown = gang(after, grow.gang());
      assertThat(before.works()).as("seed %d: %s", seed, grow).isTrue();
      assertThat(grown.spares()).hasSizeLessThanOrEqualTo(before.request().spares());
      if (!grow.assignments().isEmpty()) {
        assertThat(before.phase()).isEqualTo(RunningGang.Phase.RESTARTING);
        assertThat(grown.members()).hasSizeLessThanOrEqualTo(before.request().nodes());
      }
      Set<NodeId> nodes = new TreeSet<>();
      Tenants.holdings(grown).forEach(held -> nodes.add(held.node()));
      assertThat(nodes).as("seed %d: a node for each", seed).hasSameSizeAs(Tenants.holdings(grown));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void givesOnlyWhatLiesWhereTheGangMustLie(long seed) {
    Snapshot snapshot = RandomRunning.growing(seed);
    Plan plan = Planner.plan(snapshot);
    Snapshot after = RandomRunning.carriedOut(snapshot, plan);
    for (Grow grow : grows(plan)) {
      List<Assignment> more = new ArrayList<>(grow.assignments());
      more.addAll(grow.spares());
      RunningGang gang = gang(after, grow.gang());
      NodeView first = // One that is there: a lost one may be anywhere.
          gang.members().stream()
              .filter(m -> !RandomRunning.lost(after, m.at().node()))
              .map(m -> node(after, m.at().node()))
              .findFirst()
              .orElseThrow();
      for (Assignment one : more) {
        NodeView node = node(snapshot, one.node());
        assertThat(node.ready()).isTrue();
        assertThat(node.site()).as("seed %d: %s", seed, grow).isEqualTo(first.site());
        if (gang.request().rdma().isPresent()) {
          assertThat(node.fabric()).as("seed %d: %s", seed, grow).isEqualTo(first.fabric());
        }
        if (gang.request().layout().required().isPresent()) {
          assertThat(rack(node)).as("seed %d: %s", seed, grow).isEqualTo(rack(first));
        }
      }
    }
  }

  private static String rack(NodeView node) {
    return node.fabric() + "/" + node.topology().at("rack").orElseThrow();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void changesNothingForThoseThatWait(long seed) {
    Snapshot snapshot = RandomRunning.growing(seed);
    List<RunningGang> content = new ArrayList<>();
    for (RunningGang gang : snapshot.running()) {
      GangRequest asks = gang.request().withSpares(gang.spares().size());
      RunningGang same = gang.asking(asks);
      boolean restarts = gang.phase() == RunningGang.Phase.RESTARTING;
      content.add(restarts ? same.withPhase(RunningGang.Phase.RUNNING) : same);
    }
    Set<ClusterId> waiting = new TreeSet<>();
    snapshot.waiting().forEach(gang -> waiting.add(gang.id()));
    boolean brings = // A launch of a gang that lacks nothing is everybody's.
        snapshot.launches().stream().anyMatch(l -> !waiting.contains(l.gang()));
    if (brings) {
      return;
    }

    assertThat(of(Planner.plan(snapshot), waiting))
        .as("seed %d", seed)
        .isEqualTo(of(Planner.plan(snapshot.withRunning(content)), waiting));
  }

  private static List<Decision> of(Plan plan, Set<ClusterId> gangs) {
    return plan.decisions().stream().filter(d -> waits(d, gangs)).toList();
  }

  private static boolean waits(Decision decision, Set<ClusterId> gangs) {
    return switch (decision) {
      case Decision.Place d -> true;
      case Decision.Refuse d -> true;
      case Wait d -> gangs.contains(d.gang());
      case Launch d -> gangs.contains(d.gang());
      default -> false;
    };
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void onlyWaitsOnceThePlanIsCarriedOut(long seed) {
    Snapshot snapshot = RandomRunning.growing(seed);
    Plan plan = Planner.plan(snapshot);
    if (plan.decisions().stream().anyMatch(Requeue.class::isInstance)) {
      return; // Others wait for what those free that end now, and need other nodes no more.
    }

    assertThat(Planner.plan(RandomRunning.carriedOut(snapshot, plan)).decisions())
        .as("seed %d: after %s", seed, plan)
        .hasOnlyElementsOfType(Wait.class);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void doesNotDependOnTheOrderOfItsInput(long seed) {
    Snapshot snapshot = RandomRunning.growing(seed);
    Random random = new Random(seed);
    List<NodeView> nodes = new ArrayList<>(snapshot.nodes());
    List<RunningGang> running = new ArrayList<>(snapshot.running());
    Collections.shuffle(nodes, random);
    Collections.shuffle(running, random);
    Snapshot other = snapshot.withNodes(nodes).withRunning(running);

    assertThat(Planner.plan(other)).as("seed %d", seed).isEqualTo(Planner.plan(snapshot));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void plansTheSameOverAPoolThatHasChanged(long seed) {
    Snapshot snapshot = RandomRunning.growing(seed);
    Snapshot before = RandomRunning.growing(seed + 1_000_000);
    Rehearsal unused = new Rehearsal(new ClusterId("none"));
    assertThat(unused).isNotNull();
    Pool pool = new Pool();
    Census census = new Census();
    put(before, pool, census);
    before.running().forEach(gang -> census.remove(gang.id()));
    before.nodes().forEach(node -> pool.remove(node.id()));
    before.nodes().forEach(node -> census.remove(node.id()));
    put(snapshot, pool, census);
    Waiting waiting = Waiting.of(snapshot.waiting());
    Accounts accounts = new Accounts(snapshot.policy().queues());
    for (int time = 0; time < 2; time++) { // A plan leaves nothing of itself behind.
      assertThat(
              Planner.plan(snapshot, pool, census, waiting, accounts, java.util.Optional.empty()))
          .as("seed %d", seed)
          .isEqualTo(Planner.plan(snapshot));
    }
  }

  private static void put(Snapshot snapshot, Pool pool, Census census) {
    snapshot.nodes().forEach(pool::put);
    snapshot.nodes().forEach(census::put);
    snapshot.running().forEach(census::put);
  }

  @Test
  void meetsEveryWayToGrowAmongTheseSeeds() {
    Map<String, Integer> counts = new TreeMap<>();
    seeds()
        .mapToObj(RandomRunning::growing)
        .forEach(
            snapshot -> {
              Plan plan = Planner.plan(snapshot);
              for (Grow grow : grows(plan)) {
                counts.merge(grow.assignments().isEmpty() ? "" : "ranks", 1, Integer::sum);
                counts.merge(grow.spares().isEmpty() ? "" : "spares", 1, Integer::sum);
                boolean late = gang(snapshot, grow.gang()).phase() == RunningGang.Phase.RUNNING;
                counts.merge(late ? "running" : "restarting", 1, Integer::sum);
                boolean others = !snapshot.waiting().isEmpty();
                counts.merge(others ? "beside a gang that waits" : "alone", 1, Integer::sum);
              }
              snapshot.running().stream()
                  .filter(g -> plan.decisions().stream().anyMatch(d -> spares(d, g, snapshot)))
                  .forEach(g -> counts.merge("launched", 1, Integer::sum));
            });

    assertThat(counts).containsKeys("ranks", "spares", "running", "restarting", "launched");
  }

  private static boolean spares(Decision decision, RunningGang gang, Snapshot snapshot) {
    return decision instanceof Launch launch
        && launch.gang().equals(gang.id())
        && gang.members().stream().noneMatch(m -> RandomRunning.lost(snapshot, m.at().node()));
  }
}

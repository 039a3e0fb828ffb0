// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Running.inRack;
import static dev.clustered.core.plan.Running.rack;
import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.each;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.offer;
import static dev.clustered.core.plan.Scenario.rdma;
import static dev.clustered.core.plan.Scenario.used;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Grow;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Replace;
import dev.clustered.core.plan.Decision.Wait;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which gangs get more ranks between two attempts, and out of what. */
class GrowthTest {

  private static GangRequest elastic(String id, int minimum, int most) {
    return of(gang(id, most), minimum);
  }

  private static GangRequest of(GangRequest gang, int minimum) {
    return gang.withRoles(List.of(gang.roles().getFirst().withMinimum(minimum)));
  }

  /** A gang with a rank on each of these nodes, between two attempts. */
  private static Running between(Running running, GangRequest request, String... nodes) {
    Role role = request.roles().getFirst();
    running.runs(request.withRoles(List.of(role.withNodes(nodes.length))), nodes);
    running.gangs.replaceAll(
        gang ->
            gang.id().equals(request.id())
                ? gang.asking(request).withPhase(RunningGang.Phase.RESTARTING)
                : gang);
    return running;
  }

  private static List<String> ranks(List<Decision> plan) {
    return plan.stream()
        .filter(Grow.class::isInstance)
        .map(Grow.class::cast)
        .flatMap(grow -> grow.assignments().stream())
        .map(rank -> rank.node().value())
        .toList();
  }

  @Test
  void aGangBetweenTwoAttemptsGetsNodesThatAreIdleNearestToItsLastRankFirst() {
    Running running = new Running().nodes(rack("r2", 2)).nodes(rack("r1", 4));
    between(running, elastic("g", 1, 3), "r1-2");

    assertThat(running.plan()).hasSize(1);
    assertThat(ranks(running.plan())).containsExactly("r1-1", "r1-3");
  }

  @Test
  void itGrowsAsFarAsThereAreNodesAndNeverBeyondItsLargestSize() {
    for (int free = 0; free < 5; free++) {
      Running running = new Running().nodes(rack("r1", 2 + free));
      between(running, elastic("g", 2, 4), "r1-1", "r1-2");

      assertThat(ranks(running.plan())).as("%d free", free).hasSize(Math.min(2, free));
    }
  }

  @Test
  void aGangWhoseAttemptRunsThatEndsOrIsOfOneSizeNeverGrows() {
    for (RunningGang.Phase phase : RunningGang.Phase.values()) {
      Running running = new Running().nodes(rack("r1", 3));
      between(running, elastic("g", 1, 3), "r1-1");
      running.gangs.replaceAll(gang -> gang.withPhase(phase));

      assertThat(running.plan())
          .as("%s", phase)
          .hasSize(phase == RunningGang.Phase.RESTARTING ? 1 : 0);
    }
    Running running = new Running().nodes(rack("r1", 3));
    assertThat(between(running, gang("g", 1), "r1-1").plan()).isEmpty();
  }

  @Test
  void aGangThatHasLeavingRanksOrSeveralRolesOrBlocksDoesNotGrow() {
    Running running = new Running().nodes(rack("r1", 4));
    between(running, elastic("g", 1, 4), "r1-1", "r1-2");
    running.gangs.replaceAll(
        gang -> CarriedOut.shrunk(gang, new Decision.Shrink(gang.id(), List.of(1))));
    assertThat(running.plan()).isEmpty();

    GangRequest blocks = gang("g", 4).withLayout(Layout.ANY.withBlocks("rack", 2));
    running = new Running().nodes(rack("r1", 4));
    assertThat(between(running, of(blocks, 2), "r1-1", "r1-2").plan()).isEmpty();
  }

  @Test
  void nothingIsLaunchedForIt() {
    Running running = new Running().nodes(rack("r1", 1));
    running.scenario.offers(offer(GPU, "z", 9, "1"));

    assertThat(between(running, elastic("g", 1, 3), "r1-1").plan()).isEmpty();
  }

  @Test
  void itTakesOnlyNodesOfItsZoneAndShapeThatAreReady() {
    Running running =
        new Running()
            .nodes(rack("r1", 2))
            .nodes(node("other-zone", GPU, "y", ""), node("other-shape", FAST, "z", "f"))
            .health(NodeHealth.BOOTING, "r1-2");

    assertThat(between(running, elastic("g", 1, 9), "r1-1").plan()).isEmpty();
  }

  @Test
  void withRdmaItTakesOnlyNodesOfItsFabric() {
    Running running =
        new Running()
            .nodes(
                node("a", FAST, "z", "f1"), node("b", FAST, "z", "f2"), node("c", FAST, "z", "f1"));
    between(running, of(rdma(gang("g", 4)), 1), "a");

    assertThat(ranks(running.plan())).containsExactly("c");
  }

  @Test
  void itStaysInTheDomainThatItsLayoutRequires() {
    Running running = new Running().nodes(rack("r1", 2)).nodes(rack("r2", 2));
    GangRequest inARack = elastic("g", 1, 4).withLayout(Layout.ANY.withRequired("rack"));

    assertThat(ranks(between(running, inARack, "r1-1").plan())).containsExactly("r1-2");
  }

  @Test
  void aRankThatAsksForAPartGetsItOfANodeWithoutARankOfItsGang() {
    Running running = new Running().nodes(rack("r1", 2)).nodes(used(inRack("r1", "r1-3"), gpus(6)));
    between(running, of(each(gang("g", 4), gpus(2)), 1), "r1-1");

    Grow grow = (Grow) running.plan().getFirst();
    assertThat(grow.assignments())
        .extracting(a -> a.node() + " " + a.gpus())
        .containsExactly("r1-3 [6, 7]", "r1-2 [0, 1]");
  }

  @Test
  void whoWaitsIsServedFirst() {
    Running running = new Running().nodes(rack("r1", 3));
    running.scenario.gangs(gang("w", 1));
    between(running, elastic("g", 1, 3), "r1-1");

    List<Decision> plan = running.plan();

    assertThat(plan.getFirst()).isInstanceOf(Place.class);
    assertThat(ranks(plan)).hasSize(1);
  }

  @Test
  void aNodeThatAGangThatWaitsCouldUseIsLeftToItEvenIfItIsNotEnoughForIt() {
    Running running = new Running().nodes(rack("r1", 6));
    running.scenario.gangs(gang("w", 6));
    between(running, elastic("g", 1, 3), "r1-1");

    assertThat(running.plan()).hasOnlyElementsOfType(Wait.class);
  }

  @Test
  void aGangThatWaitsForAnotherZoneKeepsNobodyFromGrowing() {
    Running running =
        new Running().nodes(rack("r1", 2)).nodes(used(node("busy", FAST, "y", ""), gpus(8)));
    running.scenario.gangs(Scenario.ofShape(gang("w", 1), "fast"));
    between(running, elastic("g", 1, 3), "r1-1");

    List<Decision> plan = running.plan();

    assertThat(plan.getFirst()).isInstanceOf(Wait.class);
    assertThat(ranks(plan)).containsExactly("r1-2");
  }

  @Test
  void aZoneWithALimitForAllItsShapesIsLeftToAGangThatCouldBeLaunchedThere() {
    Running running =
        new Running().nodes(rack("r1", 2)).nodes(used(node("busy", FAST, "z", ""), gpus(8)));
    running.scenario.gangs(Scenario.ofShape(gang("w", 3), "fast"));
    running.scenario.offers(offer(FAST, "z", 0, "1"));

    assertThat(between(running, elastic("g", 1, 3), "r1-1").plan())
        .noneMatch(Grow.class::isInstance);
  }

  @Test
  void aGangThatHasLostARankIsMendedFirstAndGrowsWithTheRest() {
    Running running = new Running().nodes(rack("r1", 4));
    between(running, elastic("g", 1, 9), "r1-1", "r1-2").lost("r1-2");

    List<Decision> plan = running.plan();

    assertThat(((Replace) plan.getFirst()).replacements()).hasSize(1);
    assertThat(ranks(plan)).containsExactly("r1-4");
  }

  @Test
  void theHigherPriorityGrowsFirstThenTheOlderGang() {
    Running running = new Running().nodes(rack("r1", 3));
    between(running, elastic("a", 1, 2), "r1-1");
    between(running, elastic("b", 1, 2).withPriority(1), "r1-2");

    assertThat(running.plan())
        .singleElement()
        .isInstanceOfSatisfying(Grow.class, g -> assertThat(g.gang().value()).isEqualTo("b"));
  }

  private static PlanPolicy queue(int gpus) {
    QueueTree tree = new QueueTree(List.of(Queues.share("q", "", gpus)), Queues.HALF_LIFE);
    return new PlanPolicy(Scenario.IDLE_TIME).withQueues(tree);
  }

  /** Ranks that take the GPUs of a node and nothing else. */
  private static GangRequest inQueue(GangRequest gang) {
    return each(gang.withTerms(gang.terms().withQueue("q")), gpus(8));
  }

  @Test
  void aQueueThatMayHaveNoMoreKeepsItsGangFromGrowing() {
    for (int limit = 1; limit <= 3; limit++) {
      Running running = new Running().nodes(rack("r1", 4));
      running.policy = queue(8 * limit);
      between(running, of(inQueue(gang("g", 9)), 1), "r1-1");

      assertThat(ranks(running.plan())).as("%d nodes", limit).hasSize(limit - 1);
    }
  }

  @Test
  void whileAnybodyWaitsForAShareNoGangOfAQueueGrows() {
    Running running =
        new Running()
            .nodes(rack("r1", 2))
            .nodes(node("b", FAST, "y", ""), node("c", FAST, "y", ""));
    running.health(NodeHealth.BOOTING, "b", "c");
    running.policy = queue(16);
    between(running, of(inQueue(gang("g", 9)), 1), "r1-1");
    running.scenario.gangs(inQueue(Scenario.ofShape(gang("w", 2), "fast")));

    assertThat(running.plan()).noneMatch(Grow.class::isInstance);
  }

  @Test
  void nodesThatWereIdleForLongGoToAGangThatGrowsAndAreNotGivenBack() {
    Running running = new Running().nodes(rack("r1", 3));
    running.scenario.nodes.replaceAll(n -> Scenario.idleFor(n, Duration.ofHours(1)));
    between(running, elastic("g", 1, 2), "r1-1");

    List<Decision> plan = running.plan();

    assertThat(ranks(plan)).containsExactly("r1-2");
    assertThat(plan.getLast()).isInstanceOf(Decision.Release.class);
    assertThat(((Decision.Release) plan.getLast()).nodes())
        .extracting(Object::toString)
        .containsExactly("r1-3");
  }

  @Test
  void newRanksFollowTheLastOneThatGoesOn() {
    Running running = new Running().nodes(rack("r1", 4));
    between(running, elastic("g", 1, 4), "r1-1", "r1-2", "r1-3");
    RunningGang gang = running.gangs.getFirst();
    RunningGang smaller = CarriedOut.resized(gang, new Decision.Resize(gang.id(), List.of(0, 2)));
    Grow grow =
        new Grow(
            gang.id(),
            List.of(new Decision.Assignment(running.node("r1-4").id(), List.of())),
            List.of());

    RunningGang grown = CarriedOut.grown(smaller, grow, node -> GPU);

    assertThat(grown.members()).extracting(Member::rank).containsExactly(0, 2, 3);
  }

  @Test
  void aForecastCarriesGrowthOutToo() {
    Running running = new Running().nodes(rack("r1", 3));
    between(running, elastic("g", 1, 2), "r1-1");
    running.runs(gang("h", 1), Optional.of(NOW.plusSeconds(60)), "r1-2");
    running.scenario.gangs(gang("w", 2));

    assertThat(Forecast.of(running.snapshot(), gang("w", 1).id())).contains(NOW.plusSeconds(60));
  }
}

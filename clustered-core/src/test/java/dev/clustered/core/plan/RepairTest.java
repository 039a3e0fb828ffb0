// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Running.inRack;
import static dev.clustered.core.plan.Running.rack;
import static dev.clustered.core.plan.Scenario.each;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.used;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Replace;
import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.core.plan.Decision.Requeue;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.NodeId;
import dev.clustered.model.WaitReason;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepairTest {

  /** For each replacement: rank, lost node, new node, and a star for a spare. */
  static List<String> replaced(List<Decision> plan) {
    assertThat(plan).hasSize(1).first().isInstanceOf(Replace.class);
    return ((Replace) plan.getFirst()).replacements().stream().map(RepairTest::text).toList();
  }

  private static String text(Replacement r) {
    String star = r.spare() ? "*" : "";
    return r.rank() + ": " + r.lost() + " -> " + r.to().node() + star;
  }

  static List<String> reasons(List<Decision> plan) {
    assertThat(plan).hasSize(1).first().isInstanceOf(Requeue.class);
    return ((Requeue) plan.getFirst()).reasons().stream().map(WaitReason::toString).toList();
  }

  @Test
  void leavesGangsAloneThatHaveLostNothing() {
    assertThat(new Running().nodes(rack("r1", 4)).runs(gang("g", 2), "r1-1", "r1-2").plan())
        .isEmpty();
  }

  @Test
  void givesSparesForSeveralLostNodesAtOnceAndNoSpareTwice() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 5))
            .runs(gang("g", 3).withSpares(2), "r1-1", "r1-2", "r1-3", "r1-4", "r1-5")
            .lost("r1-1")
            .gone("r1-3")
            .plan();

    assertThat(replaced(plan)).containsExactly("0: r1-1 -> r1-4*", "2: r1-3 -> r1-5*");
  }

  @Test
  void takesTheSpareNearestToTheLostNode() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 2))
            .nodes(rack("r2", 2))
            .runs(gang("g", 2).withSpares(2), "r1-1", "r2-1", "r1-2", "r2-2")
            .lost("r2-1")
            .plan();

    assertThat(replaced(plan)).containsExactly("1: r2-1 -> r2-2*");
  }

  @Test
  void usesNoSpareThatIsLostItself() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 4))
            .runs(gang("g", 1).withSpares(1), "r1-1", "r1-2")
            .lost("r1-1", "r1-2")
            .plan();

    assertThat(replaced(plan)).containsExactly("0: r1-1 -> r1-3", "-1: r1-2 -> r1-4");
  }

  @Test
  void replacesALostSpareFromFreeNodesAndElseLeavesIt() {
    Running running =
        new Running()
            .nodes(rack("r1", 3))
            .runs(gang("g", 1).withSpares(1), "r1-1", "r1-2")
            .lost("r1-2");

    assertThat(replaced(running.plan())).containsExactly("-1: r1-2 -> r1-3");
    assertThat(running.gone("r1-3").plan()).isEmpty();
  }

  @Test
  void takesTheFreeNodeNearestToTheLostOneThenTheFullest() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 3))
            .nodes(rack("r2", 3))
            .nodes(used(inRack("r2", "r2-4"), gpus(6)), used(inRack("r1", "r1-4"), gpus(7)))
            .runs(each(gang("g", 2), gpus(2)), "r1-1", "r2-1")
            .lost("r2-1")
            .plan();

    assertThat(replaced(plan)).containsExactly("1: r2-1 -> r2-4");
  }

  @Test
  void neverTakesANodeOnWhichTheGangRunsAlready() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 2))
            .runs(each(gang("g", 2), gpus(1)), "r1-1", "r1-2")
            .lost("r1-2")
            .plan();

    assertThat(plan).hasOnlyElementsOfType(Requeue.class);
  }

  @Test
  void putsSeveralRanksOfALostNodeOntoOneAsManyAsItMayHold() {
    Need two =
        new Need(
                java.util.Optional.empty(),
                java.util.Optional.empty(),
                java.util.Optional.of(gpus(4)),
                java.util.Optional.empty())
            .withPerNode(2);
    GangRequest request = gang("g", 4).withRoles(List.of(new Role("worker", 4, two)));
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 3))
            .runs(request, "r1-1", "r1-1", "r1-2", "r1-2")
            .lost("r1-1")
            .plan();

    assertThat(replaced(plan)).containsExactly("0: r1-1 -> r1-3", "1: r1-1 -> r1-3");
    assertThat(((Replace) plan.getFirst()).replacements())
        .extracting(r -> r.to().gpus())
        .containsExactly(List.of(0, 1, 2, 3), List.of(4, 5, 6, 7));
  }

  @Test
  void doesNothingOnceTheNodeIsReadyAgain() {
    Running running =
        new Running().nodes(rack("r1", 3)).runs(gang("g", 2), "r1-1", "r1-2").lost("r1-2");

    assertThat(running.plan()).hasOnlyElementsOfType(Replace.class);
    assertThat(running.health(NodeHealth.READY, "r1-2").plan()).isEmpty();
  }

  @Test
  void neverUsesASickNodeAndUsesItWhenItIsWellAgain() {
    Running running =
        new Running()
            .nodes(rack("r1", 3))
            .runs(gang("g", 2), "r1-1", "r1-2")
            .health(NodeHealth.FAULTY, "r1-2", "r1-3");

    assertThat(running.plan()).hasOnlyElementsOfType(Requeue.class);
    assertThat(replaced(running.health(NodeHealth.READY, "r1-3").plan()))
        .containsExactly("1: r1-2 -> r1-3");
  }

  @Test
  void givesSickNodesToNoGangThatWaits() {
    Running running = new Running().nodes(rack("r1", 4)).health(NodeHealth.FAULTY, "r1-1", "r1-2");
    running.scenario.gangs(gang("g", 3));

    assertThat(running.plan()).hasOnlyElementsOfType(Wait.class);
  }

  @Test
  void isNotDisturbedByANodeThatIsCordoned() {
    assertThat(
            new Running()
                .nodes(rack("r1", 3))
                .runs(gang("g", 2), "r1-1", "r1-2")
                .health(NodeHealth.CORDONED, "r1-2")
                .plan())
        .isEmpty();
  }

  @Test
  void repairsNobodyThatFinishesOrEnds() {
    for (RunningGang.Phase phase : List.of(RunningGang.Phase.FINISHING, RunningGang.Phase.ENDING)) {
      Running running =
          new Running().nodes(rack("r1", 3)).runs(gang("g", 2), "r1-1", "r1-2").lost("r1-2");
      running.gangs.replaceAll(gang -> gang.withPhase(phase));

      assertThat(running.plan()).as("%s", phase).isEmpty();
    }
  }

  @Test
  void repairsBeforeAnyGangThatWaitsIsServed() {
    Running running =
        new Running().nodes(rack("r1", 3)).runs(gang("g", 2), "r1-1", "r1-2").lost("r1-2");
    running.scenario.gangs(gang("h", 1).withPriority(9));

    List<Decision> plan = running.plan();

    assertThat(replaced(plan.subList(0, 1))).containsExactly("1: r1-2 -> r1-3");
    assertThat(plan).hasSize(2).last().isInstanceOf(Wait.class);
  }

  @Test
  void givesNoNodeToTwoGangsAndServesTheHigherPriorityFirst() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 3))
            .runs(gang("g", 1), "r1-1")
            .runs(gang("h", 1).withPriority(1), "r1-2")
            .lost("r1-1", "r1-2")
            .plan();

    assertThat(replaced(plan.subList(0, 1))).containsExactly("0: r1-2 -> r1-3");
    assertThat(plan).hasSize(2).last().isInstanceOf(Requeue.class);
  }

  @Test
  void takesWhatAWaitingGangWasPromisedOnlyWithoutAnythingElse() {
    Claim claim = new Claim(List.of(new NodeId("r1-3")), Scenario.NOW.plusSeconds(60));
    Running running =
        new Running().nodes(rack("r1", 4)).runs(gang("g", 2), "r1-1", "r1-2").lost("r1-2");
    running.scenario.gangs(gang("h", 1).withClaim(claim));

    assertThat(replaced(running.plan().subList(0, 1))).containsExactly("1: r1-2 -> r1-4");
    assertThat(replaced(running.gone("r1-4").plan().subList(0, 1)))
        .containsExactly("1: r1-2 -> r1-3");
  }

  @Test
  void repairsOneRoleWhateverTheOtherLacksOfItsMost() {
    Role many = new Role("a", 3, Need.WHOLE_NODE).withMinimum(1);
    Role one = new Role("b", 1, Need.WHOLE_NODE);
    Running running =
        new Running()
            .nodes(rack("r1", 3))
            .runs(gang("g", 2).withRoles(List.of(many.withNodes(1), one)), "r1-1", "r1-2")
            .lost("r1-2");
    running.gangs.replaceAll(
        g ->
            new RunningGang(
                g.request().withRoles(List.of(many, one)),
                g.members(),
                g.startedAt(),
                g.expectedEnd()));

    assertThat(replaced(running.plan())).containsExactly("1: r1-2 -> r1-3");
  }

  @Test
  void freesWhatItTriedForAGangThatMustWaitAnew() {
    Running running =
        new Running()
            .nodes(rack("r1", 4))
            .runs(gang("g", 3), "r1-1", "r1-2", "r1-3")
            .lost("r1-1", "r1-2");
    running.scenario.gangs(gang("h", 1));

    List<Decision> plan = running.plan();

    assertThat(((Requeue) plan.getFirst()).reasons())
        .extracting(WaitReason::toString)
        .containsExactly("rank 1 lost node r1-2; zone=z has no free node for it");
    assertThat(plan).last().isInstanceOf(Place.class);
  }
}

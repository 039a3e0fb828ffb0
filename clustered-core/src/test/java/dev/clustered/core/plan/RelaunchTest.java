// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Running.rack;
import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.offer;
import static dev.clustered.core.plan.Scenario.rdma;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Replace;
import dev.clustered.core.plan.Decision.Requeue;
import dev.clustered.core.plan.Decision.Resize;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of a running gang for which no node is free where it must lie. */
class RelaunchTest {

  private static final Layout IN_A_RACK = Layout.ANY.withRequired("rack");
  private static final Offer OFFER = offer(GPU, "z", 9, "1");

  private static GangRequest elastic(int nodes, int minimum) {
    Role role = new Role(Role.ONLY, nodes, Need.WHOLE_NODE).withMinimum(minimum);
    return gang("g", nodes).withRoles(List.of(role));
  }

  private static Running threeOfWhichOneIsLost(GangRequest request) {
    return new Running().nodes(rack("r1", 3)).runs(request, "r1-1", "r1-2", "r1-3").lost("r1-1");
  }

  private static NodeView launched(String id, String launch) {
    return Scenario.broughtBy(launch, node(id, GPU, "z", ""));
  }

  @Test
  void launchesOnlyTheMissingNodeInTheSameZoneOfTheSameShape() {
    Running running = threeOfWhichOneIsLost(gang("g", 3));
    running.scenario.offers(
        offer(GPU, "y", 9, "0"), offer(FAST, "z", 9, "0"), OFFER, offer(GPU, "z", 9, "2"));

    assertThat(running.plan())
        .containsExactly(new Launch(gang("g", 3).id(), OFFER, 1, Optional.empty()));
  }

  @Test
  void waitsForThatLaunchAndNeverLaunchesTwice() {
    Running running = threeOfWhichOneIsLost(gang("g", 3));
    running.scenario.offers(OFFER).inFlight("g", OFFER, 1);

    assertThat(running.plan())
        .containsExactly(
            new Wait(
                gang("g", 3).id(),
                List.of(new WaitReason.LaunchInFlight(new LaunchId("to-g"), 1, "z")),
                Optional.of(NOW.plusSeconds(60))));
  }

  @Test
  void launchesNoMoreThanWhatIsNotUnderWayWhenAnotherNodeIsLost() {
    Running running = threeOfWhichOneIsLost(gang("g", 3)).lost("r1-2");
    running.scenario.offers(OFFER).inFlight("g", OFFER, 1);

    assertThat(running.plan())
        .containsExactly(new Launch(gang("g", 3).id(), OFFER, 1, Optional.empty()));
  }

  @Test
  void takesTheNodeOfItsLaunchOnceItIsReadyAndNobodyElseDoes() {
    Running running = threeOfWhichOneIsLost(gang("g", 3)).lost("r1-2");
    running.nodes(launched("n", "to-g"));
    running.scenario.offers(OFFER).inFlight("g", OFFER, 2).gangs(gang("h", 1));

    List<Decision> plan = running.plan();

    assertThat(plan.getFirst()).isInstanceOf(Wait.class);
    assertThat(plan.get(1)).isEqualTo(new Launch(gang("h", 1).id(), OFFER, 1, Optional.empty()));
    running.nodes(launched("o", "to-g"));
    assertThat(((Replace) running.plan().getFirst()).replacements())
        .extracting(r -> r.to().node().value())
        .containsExactly("n", "o");
  }

  @Test
  void keepsANodeOfItsLaunchFromAnotherGangThatLostOne() {
    Running running =
        new Running()
            .nodes(rack("r1", 3))
            .runs(gang("a", 1).withPriority(1), "r1-1")
            .runs(gang("g", 2), "r1-2", "r1-3")
            .lost("r1-1", "r1-2")
            .nodes(launched("n", "to-g"));
    running.scenario.offers(OFFER).inFlight("g", OFFER, 1);

    List<Decision> plan = running.plan();

    assertThat(plan.getFirst())
        .isEqualTo(new Launch(gang("a", 1).id(), OFFER, 1, Optional.empty()));
    assertThat(plan.getLast()).isInstanceOf(Replace.class);
  }

  @Test
  void asksForNothingWhenTheNodeIsBackWhileALaunchIsUnderWay() {
    Running running = threeOfWhichOneIsLost(gang("g", 3)).health(NodeHealth.READY, "r1-1");
    running.nodes(launched("n", "to-g"));
    running.scenario.offers(OFFER).inFlight("g", OFFER, 1).gangs(gang("h", 1));

    assertThat(running.plan()).hasSize(1).first().isInstanceOf(Decision.Place.class);
  }

  @Test
  void launchesNothingThatCouldNotKeepItsRackItsBlocksOrItsFabric() {
    for (Layout layout : List.of(IN_A_RACK, Layout.ANY.withBlocks("rack", 3))) {
      Running running = threeOfWhichOneIsLost(gang("g", 3).withLayout(layout));
      running.scenario.offers(OFFER);

      assertThat(running.plan()).as("%s", layout).hasOnlyElementsOfType(Requeue.class);
    }
    Running running =
        new Running().nodes(node("a", FAST, "z", "f")).runs(rdma(gang("g", 1)), "a").lost("a");
    running.scenario.offers(offer(FAST, "z", 9, "1"));
    assertThat(running.plan()).hasOnlyElementsOfType(Requeue.class);
  }

  @Test
  void launchesAllThatIsMissingOrNothing() {
    Running running = threeOfWhichOneIsLost(gang("g", 3)).lost("r1-2");
    running.scenario.offers(offer(GPU, "z", 1, "1"));

    assertThat(running.plan()).hasOnlyElementsOfType(Requeue.class);
  }

  @Test
  void waitsForACoolDownAndSaysWhenItsNodeIsExpected() {
    Running running = threeOfWhichOneIsLost(gang("g", 3));
    running.scenario.offers(OFFER).coolDown(OFFER, Duration.ofSeconds(5));

    Wait wait = (Wait) running.plan().getFirst();

    assertThat(wait.expectedStart()).contains(NOW.plusSeconds(65));
    assertThat(wait.reasons())
        .containsExactly(
            new WaitReason.NodeLost(0, new NodeId("r1-1"), "zone=z", 0, 1),
            new WaitReason.CoolingDown("z", "gpu", NOW.plusSeconds(5), "no capacity"));
  }

  @Test
  void waitsForAnEndThatIsKnownInItsRackAndForNoOther() {
    GangRequest request = gang("g", 2).withLayout(IN_A_RACK);
    Running running =
        new Running()
            .nodes(rack("r1", 3))
            .nodes(rack("r2", 1))
            .runs(request, "r1-1", "r1-2")
            .runs(gang("elsewhere", 1), Optional.of(NOW.plusSeconds(10)), "r2-1")
            .runs(gang("beside", 1), "r1-3")
            .lost("r1-2");

    assertThat(running.plan()).hasOnlyElementsOfType(Requeue.class);
    RunningGang beside = running.gangs.removeLast();
    running.gangs.add(
        new RunningGang(
            beside.request(),
            beside.members(),
            beside.startedAt(),
            Optional.of(NOW.plusSeconds(90))));
    assertThat(running.plan())
        .containsExactly(
            new Wait(
                request.id(),
                List.of(new WaitReason.NodeLost(1, new NodeId("r1-2"), "zone=z/rack=r1", 0, 1)),
                Optional.of(NOW.plusSeconds(90))));
  }

  @Test
  void countsOnNoEndThatIsLongOverdue() {
    Duration overdue = PlanPolicy.Backfill.DEFAULT.overdue();
    for (int more : List.of(0, 1)) {
      Running running =
          new Running()
              .nodes(rack("r1", 3))
              .runs(gang("g", 2), "r1-1", "r1-2")
              .runs(gang("h", 1), Optional.of(NOW.minus(overdue).minusSeconds(more)), "r1-3")
              .lost("r1-2");

      assertThat(running.plan())
          .as("%d s", more)
          .hasOnlyElementsOfType(more == 0 ? Wait.class : Requeue.class);
    }
  }

  @Test
  void goesOnWithoutTheLostRankWhenTheRestIsEnough() {
    Running running = threeOfWhichOneIsLost(elastic(3, 2));

    assertThat(running.plan()).containsExactly(new Resize(gang("g", 3).id(), List.of(1, 2)));
    assertThat(running.lost("r1-2").plan()).hasOnlyElementsOfType(Requeue.class);
  }

  @Test
  void replacesWhatItCanAndGoesOnWithoutTheRest() {
    List<Decision> plan =
        threeOfWhichOneIsLost(elastic(3, 2)).lost("r1-2").nodes(rack("r2", 1)).plan();

    assertThat(plan).hasSize(2);
    assertThat(((Replace) plan.getFirst()).replacements())
        .extracting(r -> r.rank() + " " + r.to().node())
        .containsExactly("0 r2-1");
    assertThat(plan.getLast()).isEqualTo(new Resize(gang("g", 3).id(), List.of(0, 2)));
  }

  @Test
  void givesUpTheWholeBlockOfALostRank() {
    Layout blocks = Layout.ANY.withBlocks("rack", 2);
    for (int minimum : List.of(2, 4)) {
      List<Decision> plan =
          new Running()
              .nodes(rack("r1", 2))
              .nodes(rack("r2", 2))
              .runs(elastic(4, minimum).withLayout(blocks), "r1-1", "r1-2", "r2-1", "r2-2")
              .lost("r1-2")
              .plan();

      if (minimum == 2) {
        assertThat(plan).containsExactly(new Resize(gang("g", 4).id(), List.of(2, 3)));
      } else {
        assertThat(plan).hasOnlyElementsOfType(Requeue.class);
      }
    }
  }

  @Test
  void replacesNoRankThatIsLeavingAnywayAndCountsItAmongTheLost() {
    Running running = threeOfWhichOneIsLost(elastic(3, 2)).nodes(rack("r2", 1));
    leaving(running, 0);

    assertThat(running.plan()).isEmpty();
    assertThat(running.gone("r2-1").lost("r1-2").plan()).hasOnlyElementsOfType(Requeue.class);
  }

  private static void leaving(Running running, int rank) {
    running.gangs.replaceAll(
        gang ->
            new RunningGang(
                gang.request(),
                gang.members().stream()
                    .map(m -> m.rank() == rank ? new Member(rank, m.role(), m.at(), true) : m)
                    .toList(),
                gang.startedAt(),
                gang.expectedEnd()));
  }

  @Test
  void requeuesAGangOfWhoseNodesNobodyKnowsAny() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 3))
            .runs(gang("g", 2), "r1-1", "r1-2")
            .gone("r1-1", "r1-2")
            .plan();

    assertThat(((Requeue) plan.getFirst()).reasons())
        .containsExactly(
            new WaitReason.NodeLost(0, new NodeId("r1-1"), "no place that is known", 0, 2));
  }
}

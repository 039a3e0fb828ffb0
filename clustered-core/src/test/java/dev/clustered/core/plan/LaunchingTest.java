// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.busy;
import static dev.clustered.core.plan.Scenario.each;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.idleFor;
import static dev.clustered.core.plan.Scenario.in;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.ofShape;
import static dev.clustered.core.plan.Scenario.offer;
import static dev.clustered.core.plan.Scenario.onBackend;
import static dev.clustered.core.plan.Scenario.rdma;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LaunchingTest {

  private static Launch launch(List<Decision> plan) {
    assertThat(plan).hasSize(1).first().isInstanceOf(Launch.class);
    return (Launch) plan.getFirst();
  }

  @Test
  void launchesTheWholeGangFromTheCheapestOfferThatHasIt() {
    Offer enough = offer(SMALL, "y", 4, "2");
    List<Decision> plan =
        new Scenario()
            .nodes(node("a", SMALL, "y", ""))
            .offers(offer(SMALL, "z", 3, "1"), enough, offer(GPU, "x", 9, "9"))
            .gangs(gang("g", 4))
            .plan();

    assertThat(plan).containsExactly(new Launch(gang("g", 4).id(), enough, 4, Optional.empty()));
  }

  @Test
  void prefersTheShorterBootAtTheSamePrice() {
    Offer slow = offer(SMALL, "a", 9, "1");
    Offer quick =
        new Offer("local", SMALL, "b", Market.ON_DEMAND, slow.hourlyPrice(), Duration.ZERO, 9);

    assertThat(launch(new Scenario().offers(slow, quick).gangs(gang("g", 1)).plan()).offer())
        .isEqualTo(quick);
  }

  @Test
  void takesWhatMayBeInterruptedOnlyWithoutAnythingElse() {
    Offer spot =
        new Offer("local", SMALL, "a", Market.SPOT, java.math.BigDecimal.ZERO, Duration.ZERO, 9);
    Offer other = offer(SMALL, "b", 9, "5");

    assertThat(launch(new Scenario().offers(spot, other).gangs(gang("g", 1)).plan()).offer())
        .isEqualTo(other);
    assertThat(launch(new Scenario().offers(spot).gangs(gang("g", 1)).plan()).offer())
        .isEqualTo(spot);
  }

  @Test
  void launchesAnRdmaGangOnlyOnAShapeWithRdma() {
    Launch launch =
        launch(
            new Scenario()
                .offers(offer(GPU, "z", 9, "1"), offer(FAST, "z", 9, "5"))
                .gangs(rdma(gang("g", 2)))
                .plan());

    assertThat(launch.offer().shape()).isEqualTo(FAST);
    assertThat(launch.rdma()).isEqualTo(Scenario.RDMA);
  }

  @Test
  void launchesForPartsWhatHoldsThem() {
    assertThat(
            launch(
                    new Scenario()
                        .offers(offer(SMALL, "z", 9, "1"), offer(GPU, "z", 9, "5"))
                        .gangs(each(gang("g", 2), gpus(1)))
                        .plan())
                .offer()
                .shape())
        .isEqualTo(GPU);
  }

  @Test
  void waitsForItsOwnLaunchAndNeverLaunchesTwice() {
    Offer offer = offer(SMALL, "z", 9, "1");
    List<Decision> plan =
        new Scenario().offers(offer).inFlight("g", offer, 2).gangs(gang("g", 2)).plan();

    assertThat(plan)
        .containsExactly(
            new Wait(
                gang("g", 2).id(),
                List.of(new WaitReason.LaunchInFlight(new LaunchId("to-g"), 2, "z")),
                Optional.of(NOW.plusSeconds(60))));
  }

  @Test
  void leavesAZoneAloneThatCoolsDownAndSaysSo() {
    Offer offer = offer(SMALL, "z", 9, "1");
    Scenario scenario =
        new Scenario().offers(offer).coolDown(offer, Duration.ofSeconds(5)).gangs(gang("g", 2));

    assertThat(((Wait) scenario.plan().getFirst()).reasons())
        .contains(new WaitReason.CoolingDown("z", "small", NOW.plusSeconds(5), "no capacity"));
    Offer elsewhere = offer(SMALL, "y", 9, "7");
    assertThat(launch(scenario.offers(elsewhere).plan()).offer()).isEqualTo(elsewhere);
  }

  @Test
  void disregardsACoolDownThatIsOver() {
    Offer offer = offer(SMALL, "z", 9, "1");

    assertThat(
            launch(
                    new Scenario()
                        .offers(offer)
                        .coolDown(offer, Duration.ZERO)
                        .gangs(gang("g", 2))
                        .plan())
                .offer())
        .isEqualTo(offer);
  }

  @Test
  void takesAZoneToHaveOneLimitWithinAPlan() {
    List<Decision> plan =
        new Scenario().offers(offer(SMALL, "z", 4, "1")).gangs(gang("g", 3), gang("h", 2)).plan();

    assertThat(plan.get(0)).isInstanceOf(Launch.class);
    assertThat(((Wait) plan.get(1)).reasons())
        .containsExactly(
            new WaitReason.NotEnoughNodes(
                2, "zone z of local with shape small", 0, 0, 1, List.of()));
  }

  @Test
  void waitsForWhatOthersHoldAndRefusesWhatCanNeverBe() {
    Scenario scenario =
        new Scenario()
            .nodes(busy(node("a", GPU, "z", "")), busy(node("b", SMALL, "z", "")))
            .offers(offer(SMALL, "z", 2, "1"));

    assertThat(scenario.gangs(gang("g", 4)).plan()).hasOnlyElementsOfType(Wait.class);
    scenario.waiting.clear();
    List<Decision> plan = scenario.gangs(gang("g", 5)).plan();
    assertThat(plan)
        .containsExactly(
            new Refuse(
                gang("g", 5).id(),
                ErrorCode.CANNOT_EVER_FIT,
                "asked 5 nodes in one zone; the most that could ever be in one zone is 4, in zone"
                    + " z of local with shape small; ask for so many or fewer"));
  }

  @Test
  void countsALaunchUnderWayAmongWhatCouldEverBe() {
    Offer offer = offer(SMALL, "z", 0, "1");

    assertThat(new Scenario().offers(offer).inFlight("h", offer, 4).gangs(gang("g", 4)).plan())
        .hasOnlyElementsOfType(Wait.class);
  }

  @Test
  void refusesAShapeOrResourcesThatNobodyHas() {
    Scenario scenario =
        new Scenario()
            .offers(offer(GPU, "z", 9, "1"))
            .gangs(ofShape(gang("g", 1), "huge"), each(gang("h", 1), gpus(9)));

    assertThat(scenario.plan())
        .extracting(d -> ((Refuse) d).code())
        .containsExactly(ErrorCode.CANNOT_EVER_FIT, ErrorCode.CANNOT_EVER_FIT);
    assertThat(scenario.plan().toString()).contains("huge").contains("9 × GPU");
  }

  @Test
  void refusesAnUnknownBackendAndNamesThoseThatAre() {
    Refuse refuse =
        (Refuse)
            new Scenario()
                .offers(offer(GPU, "z", 9, "1"))
                .gangs(onBackend(gang("g", 1), "mars"))
                .plan()
                .getFirst();

    assertThat(refuse.code()).isEqualTo(ErrorCode.UNKNOWN_BACKEND);
    assertThat(refuse.message()).contains("mars").contains("[local]");
  }

  @Test
  void refusesRdmaWhereNoShapeHasTheRate() {
    Refuse refuse =
        (Refuse)
            new Scenario()
                .offers(offer(GPU, "z", 9, "1"))
                .gangs(rdma(gang("g", 1)))
                .plan()
                .getFirst();

    assertThat(refuse.code()).isEqualTo(ErrorCode.FABRIC_UNAVAILABLE);
    assertThat(refuse.message()).contains("0 Gb/s");
  }

  @Test
  void releasesNodesThatWereIdleForLongAndKeepsTheOthers() {
    List<Decision> plan =
        new Scenario()
            .nodes(
                idleFor(node("a", SMALL, "z", ""), Scenario.IDLE_TIME),
                idleFor(node("b", SMALL, "z", ""), Scenario.IDLE_TIME.minusMillis(1)),
                busy(node("c", SMALL, "z", "")))
            .plan();

    assertThat(plan).containsExactly(new Release(List.of(new NodeId("a"))));
  }

  @Test
  void releasesNoNodeThatThisPlanGivesAway() {
    List<Decision> plan =
        new Scenario()
            .nodes(idleFor(node("a", SMALL, "z", ""), Duration.ofDays(1)))
            .gangs(gang("g", 1))
            .plan();

    assertThat(plan).hasOnlyElementsOfType(Place.class);
  }

  @Test
  void keepsIdleNodesForAGangThatWaitsForTheBusyOnesBeside() {
    List<Decision> plan =
        new Scenario()
            .nodes(
                idleFor(node("a", SMALL, "z", ""), Duration.ofDays(1)),
                busy(node("b", SMALL, "z", "")))
            .gangs(gang("g", 2))
            .plan();

    assertThat(plan).hasOnlyElementsOfType(Wait.class);
  }

  @Test
  void givesIdleNodesBackToMakeRoomForALaunchAndThenWaitsForTheirEnd() {
    NodeView first = idleFor(node("a", SMALL, "z", ""), Duration.ofSeconds(2));
    NodeView second = idleFor(node("b", SMALL, "z", ""), Duration.ofSeconds(9));
    Scenario scenario =
        new Scenario()
            .nodes(first, second)
            .offers(offer(GPU, "z", 3, "5"), offer(SMALL, "z", 3, "1"))
            .gangs(ofShape(gang("g", 4), "gpu"));

    assertThat(scenario.plan()).last().isEqualTo(new Release(List.of(new NodeId("b"))));
    scenario.nodes.set(1, in(second, NodeHealth.CORDONED));
    assertThat(scenario.plan()).hasOnlyElementsOfType(Wait.class);
  }
}

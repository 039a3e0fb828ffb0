// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.busy;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.ofShape;
import static dev.clustered.core.plan.Scenario.offer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QueueTest {

  private static final ClusterId HEAD = new ClusterId("head");

  private static List<WaitReason> reasons(Decision decision) {
    assertThat(decision).isInstanceOf(Wait.class);
    return ((Wait) decision).reasons();
  }

  @Test
  void keepsALaterGangFromNodesThatTheHeadWaitsFor() {
    List<Decision> plan =
        new Scenario()
            .nodes(node("a", GPU, "z", ""), busy(node("b", GPU, "z", "")))
            .gangs(gang("head", 2), gang("next", 1), gang("last", 1))
            .plan();

    WaitReason kept = new WaitReason.Kept(1, HEAD, Optional.empty());
    assertThat(reasons(plan.get(1))).containsExactly(new WaitReason.Behind(1, HEAD), kept);
    assertThat(reasons(plan.get(2))).containsExactly(new WaitReason.Behind(2, HEAD), kept);
  }

  @Test
  void letsALaterGangHaveNodesThatTheHeadCannotUse() {
    List<Decision> plan =
        new Scenario()
            .nodes(busy(node("a", GPU, "z", "")), node("b", SMALL, "z", ""))
            .gangs(ofShape(gang("head", 1), "gpu"), ofShape(gang("next", 1), "small"))
            .plan();

    assertThat(plan.get(0)).isInstanceOf(Wait.class);
    assertThat(plan.get(1)).isInstanceOf(Place.class);
  }

  @Test
  void letsALaterGangIntoAZoneThatIsTooSmallForTheHead() {
    List<Decision> plan =
        new Scenario()
            .nodes(
                busy(node("a", GPU, "y", "")),
                busy(node("b", GPU, "y", "")),
                node("c", GPU, "z", ""))
            .gangs(gang("head", 2), gang("next", 1))
            .plan();

    assertThat(plan.get(1)).isInstanceOf(Place.class);
  }

  @Test
  void takesNothingOfALimitThatTheHeadMayNeed() {
    Scenario scenario =
        new Scenario()
            .nodes(busy(node("a", GPU, "z", "")))
            .offers(offer(GPU, "z", 1, "5"), offer(SMALL, "z", 1, "1"))
            .gangs(ofShape(gang("head", 2), "gpu"), ofShape(gang("next", 1), "small"));

    assertThat(reasons(scenario.plan().get(1))).containsExactly(new WaitReason.Behind(1, HEAD));
  }

  @Test
  void launchesAnotherShapeInTheZoneOfTheHeadWhereNoLimitIsKnown() {
    List<Decision> plan =
        new Scenario()
            .nodes(busy(node("a", GPU, "z", "")))
            .offers(offer(GPU, "z", 1, "5"), offer(SMALL, "z", Integer.MAX_VALUE, "1"))
            .gangs(ofShape(gang("head", 2), "gpu"), ofShape(gang("next", 1), "small"))
            .plan();

    assertThat(plan.get(1)).isInstanceOf(Launch.class);
  }

  @Test
  void isNotHeldUpByAGangWhoseLaunchIsUnderWay() {
    Offer offer = offer(GPU, "z", 0, "5");
    List<Decision> plan =
        new Scenario()
            .nodes(node("a", GPU, "z", ""))
            .offers(offer)
            .inFlight("head", offer, 2)
            .gangs(gang("head", 2), gang("next", 1))
            .plan();

    assertThat(plan.get(1)).isInstanceOf(Place.class);
  }

  @Test
  void isNotHeldUpByAGangThatIsRefused() {
    List<Decision> plan =
        new Scenario()
            .nodes(node("a", GPU, "z", ""))
            .gangs(gang("head", 2), gang("next", 1))
            .plan();

    assertThat(plan.get(0)).isInstanceOf(Decision.Refuse.class);
    assertThat(plan.get(1)).isInstanceOf(Place.class);
  }

  @Test
  void refusesASnapshotThatContradictsItself() {
    NodeView node = node("a", GPU, "z", "");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Scenario().nodes(node, node).snapshot())
        .withMessageContaining("node a stands twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Scenario().gangs(gang("g", 1), gang("g", 2)).snapshot())
        .withMessageContaining("gang g stands twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gang("g", 0))
        .withMessageContaining("gang g")
        .withMessageContaining("received: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Scenario().offers(offer(GPU, "z", -1, "1")).snapshot())
        .withMessageContaining("available=-1");
  }
}

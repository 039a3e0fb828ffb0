// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Running.rack;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.IDLE_TIME;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.busy;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.idleFor;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.ofShape;
import static dev.clustered.core.plan.Scenario.offer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which nodes are given back, and which only together. */
class ReleaseTest {

  private static NodeView unit(String id, String launch, Duration idle) {
    return Scenario.broughtBy(launch, idleFor(node(id, SMALL, "z", ""), idle)).inUnit();
  }

  private static NodeView[] fabric(int nodes, Duration idle) {
    List<NodeView> all = new ArrayList<>();
    for (int i = 1; i <= nodes; i++) {
      all.add(unit("u" + i, "u", idle));
    }
    return all.toArray(NodeView[]::new);
  }

  private static List<String> released(List<Decision> plan) {
    return plan.stream()
        .filter(Release.class::isInstance)
        .flatMap(decision -> ((Release) decision).nodes().stream())
        .map(NodeId::value)
        .toList();
  }

  @Test
  void givesAUnitBackWholeWhenAllOfItHasBeenIdleLongEnough() {
    Running running = new Running().nodes(fabric(8, IDLE_TIME));

    assertThat(released(running.plan())).hasSize(8);
    running.replace(unit("u5", "u", IDLE_TIME.minusMillis(1)));
    assertThat(running.plan()).isEmpty();
  }

  @Test
  void givesNothingOfAUnitBackWhileSomebodyHasAPartOfIt() {
    Running running = new Running().nodes(fabric(8, IDLE_TIME)).runs(gang("g", 1), "u3");

    assertThat(running.plan()).isEmpty();
  }

  @Test
  void givesNothingOfAUnitBackWhenThisPlanGivesAPartOfItAway() {
    Running running = new Running().nodes(fabric(3, IDLE_TIME));
    running.scenario.gangs(gang("g", 1));

    assertThat(running.plan()).hasSize(1).first().isInstanceOf(Decision.Place.class);
  }

  @Test
  void givesNothingOfAUnitBackBeforeAllOfItIsThere() {
    Running running = new Running().nodes(fabric(3, IDLE_TIME)).health(NodeHealth.BOOTING, "u2");

    assertThat(running.plan()).isEmpty();
  }

  @Test
  void givesTheSickNodesOfAUnitBackWithTheOthersAndNoneTwice() {
    Running running =
        new Running()
            .nodes(fabric(4, IDLE_TIME))
            .health(NodeHealth.FAULTY, "u2")
            .health(NodeHealth.LOST, "u3")
            .health(NodeHealth.CORDONED, "u4");

    assertThat(released(running.plan())).containsExactly("u1", "u2", "u3");
  }

  @Test
  void givesOtherNodesOfTheSameAgeBackOneByOne() {
    Running running =
        new Running()
            .nodes(idleFor(node("a", SMALL, "z", ""), IDLE_TIME), busy(node("b", SMALL, "z", "")));

    assertThat(released(running.plan())).containsExactly("a");
  }

  @Test
  void makesRoomWithWholeUnitsAndWithNoMoreThanNeeded() {
    Running running =
        new Running()
            .nodes(fabric(3, Duration.ofSeconds(9)))
            .nodes(idleFor(node("a", SMALL, "z", ""), Duration.ofSeconds(20)))
            .nodes(idleFor(node("b", SMALL, "z", ""), Duration.ofSeconds(2)));
    running.scenario.offers(offer(GPU, "z", 1, "5"), offer(SMALL, "z", 1, "1"));
    running.scenario.gangs(ofShape(gang("g", 4), "gpu"));

    assertThat(released(running.plan())).containsExactly("u1", "u2", "u3");
  }

  @Test
  void makesNoRoomWithAUnitOfWhichSomebodyHasAPart() {
    Running running =
        new Running().nodes(fabric(3, Duration.ofSeconds(9))).runs(gang("h", 1), "u1");
    running.scenario.offers(offer(GPU, "z", 1, "5"), offer(SMALL, "z", 1, "1"));
    running.scenario.gangs(ofShape(gang("g", 3), "gpu"));

    assertThat(running.plan()).hasSize(1).first().isInstanceOf(Wait.class);
  }

  @Test
  void makesNoRoomForAGangThatWouldNotBeLaunchedAnyway() {
    Running running = new Running().nodes(fabric(3, Duration.ofSeconds(9)));
    running.scenario.offers(offer(GPU, "z", 1, "5"), offer(SMALL, "z", 1, "1"));
    running.scenario.gangs(
        ofShape(gang("g", 4), "gpu").withLayout(Layout.ANY.withRequired("rack")));

    assertThat(released(running.plan())).isEmpty();
  }

  @Test
  void keepsWhatAGangWasPromisedAsLongAsThePromiseHolds() {
    for (int seconds : List.of(0, 1)) {
      Running running = new Running().nodes(idleFor(node("a", SMALL, "y", ""), IDLE_TIME));
      running.nodes(busy(node("b", GPU, "z", "")), busy(node("c", GPU, "z", "")));
      running.scenario.gangs(
          ofShape(gang("g", 1), "gpu")
              .withClaim(new Claim(List.of(new NodeId("a")), NOW.plusSeconds(seconds))));

      assertThat(released(running.plan())).as("%d s", seconds).hasSize(1 - seconds);
    }
  }

  @Test
  void keepsTheFreeNodeThatARunningGangIsAboutToGet() {
    Running running =
        new Running()
            .nodes(rack("r1", 4))
            .runs(gang("g", 3), "r1-1", "r1-2", "r1-3")
            .lost("r1-1", "r1-2");
    running.replace(idleFor(running.node("r1-4"), IDLE_TIME));
    running.scenario.offers(offer(GPU, "z", 9, "1"));

    assertThat(running.plan()).hasSize(1).first().isInstanceOf(Decision.Launch.class);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.in;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.offer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.PlanPolicy.Launching;
import dev.clustered.core.plan.PlanPolicy.Launching.Late;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Launches that bring some of their nodes, or none, in their time. */
class LateLaunchTest {

  private static final Offer HERE = offer(GPU, "z", 9, "1");
  private static final Offer ELSEWHERE = offer(GPU, "y", 9, "7");
  private static final Launching KEEP = Launching.DEFAULT.withLate(Late.KEEP);

  private static LaunchView launch(String id, int nodes, int granted, Instant deadline) {
    return new LaunchView(
            new LaunchId(id), gang("g", 1).id(), HERE, nodes, Optional.of(NOW.minusSeconds(30)))
        .withGranted(granted, deadline);
  }

  private static NodeView of(String launch, String id, NodeHealth health) {
    return Scenario.broughtBy(launch, in(node(id, GPU, "z", ""), health));
  }

  /** Gang g asked for four nodes; three were granted, of which two are ready. */
  private static Running threeOfFour(Instant deadline) {
    Running running =
        new Running()
            .nodes(of("l", "a", NodeHealth.READY), of("l", "b", NodeHealth.READY))
            .nodes(of("l", "c", NodeHealth.BOOTING));
    running.scenario.launches.add(launch("l", 4, 3, deadline));
    running.scenario.offers(HERE, ELSEWHERE).gangs(gang("g", 4));
    return running;
  }

  @Test
  void waitsBeforeTheDeadlineAndSaysHowManyAreThere() {
    Instant deadline = NOW.plusMillis(1);

    assertThat(threeOfFour(deadline).plan())
        .containsExactly(
            new Wait(
                gang("g", 4).id(),
                List.of(
                    new WaitReason.PartlyGranted(
                        new LaunchId("l"), 3, 4, "z", Optional.of(deadline))),
                Optional.of(NOW.plusSeconds(30))));
  }

  @Test
  void keepsWhatIsReadyForTheGangThatItWasLaunchedFor() {
    Running running = threeOfFour(NOW.plusMillis(1));
    running.scenario.gangs(gang("h", 1).withPriority(9));

    assertThat(running.plan().getFirst())
        .isEqualTo(new Launch(gang("h", 1).id(), HERE, 1, Optional.empty()));
  }

  @Test
  void givesAllBackAtTheDeadlineAndLaunchesElsewhere() {
    assertThat(threeOfFour(NOW).plan())
        .containsExactly(
            new Launch(gang("g", 4).id(), ELSEWHERE, 4, Optional.empty()),
            new Release(List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"))));
  }

  @Test
  void launchesNotAgainWhereItWasLateUntilThatHasCooledDown() {
    Running running = threeOfFour(NOW);
    running.scenario.offers.remove(ELSEWHERE);
    Instant again = NOW.plus(Launching.DEFAULT.firstCoolDown());

    Wait wait = (Wait) running.plan().getFirst();

    assertThat(wait.reasons())
        .contains(
            new WaitReason.CoolingDown(
                "z", "gpu", again, "launch l brought 3 of 4 nodes in its time"));
    assertThat(wait.expectedStart()).contains(again.plus(HERE.bootTime()));
    Running later = threeOfFour(NOW.minus(Launching.DEFAULT.firstCoolDown()));
    later.scenario.offers.remove(ELSEWHERE);
    assertThat(later.plan().getFirst())
        .isEqualTo(new Launch(gang("g", 4).id(), HERE, 4, Optional.empty()));
  }

  @Test
  void waitsForTheSecondLaunchAndReleasesNothingTwice() {
    Running running = threeOfFour(NOW).health(NodeHealth.CORDONED, "a", "b", "c");
    running.scenario.launches.add(
        new LaunchView(new LaunchId("m"), gang("g", 4).id(), ELSEWHERE, 4, Optional.of(NOW)));

    assertThat(running.plan()).hasSize(1).first().isInstanceOf(Wait.class);
  }

  @Test
  void launchesElsewhereWhatWasNotGrantedAtAll() {
    for (Launching policy : List.of(Launching.DEFAULT, KEEP)) {
      Running running = new Running();
      running.policy = running.policy.withLaunching(policy);
      running.scenario.launches.add(launch("l", 4, 0, NOW));
      running.scenario.offers(HERE, ELSEWHERE).gangs(gang("g", 4));

      assertThat(running.plan())
          .containsExactly(new Launch(gang("g", 4).id(), ELSEWHERE, 4, Optional.empty()));
    }
  }

  @Test
  void keepsWhatIsThereByPolicyAndLaunchesOnlyTheRestBesideIt() {
    Running running = threeOfFour(NOW);
    running.policy = running.policy.withLaunching(KEEP);
    running.scenario.gangs(gang("h", 1));

    assertThat(running.plan())
        .containsExactly(
            new Launch(gang("g", 4).id(), HERE, 1, Optional.empty()),
            new Launch(gang("h", 1).id(), HERE, 1, Optional.empty()));
  }

  @Test
  void waitsForTheRestAndThenTakesBothLaunchesTogether() {
    Running running = threeOfFour(NOW);
    running.policy = running.policy.withLaunching(KEEP);
    running.scenario.launches.add(launch("m", 1, 0, NOW.plusSeconds(60)));

    assertThat(running.plan()).hasSize(1).first().isInstanceOf(Wait.class);
    running.health(NodeHealth.READY, "c").nodes(of("m", "d", NodeHealth.READY));
    assertThat(((Place) running.plan().getFirst()).assignments())
        .extracting(a -> a.node().value())
        .containsExactly("a", "b", "c", "d");
  }

  @Test
  void keepsWhatIsThereWhileTheRestCannotBeLaunched() {
    Running running = threeOfFour(NOW);
    running.policy = running.policy.withLaunching(KEEP);
    running.scenario.offers.clear();
    running.scenario.offers(offer(GPU, "z", 0, "1"));
    running.scenario.gangs(gang("h", 1).withPriority(9));

    List<Decision> plan = running.plan();

    assertThat(plan).hasOnlyElementsOfType(Wait.class);
    assertThat(((Wait) plan.getLast()).reasons())
        .contains(new WaitReason.PartlyGranted(new LaunchId("l"), 3, 4, "z", Optional.of(NOW)));
  }

  @Test
  void givesBackByPolicyNothingThatAnotherGangHas() {
    Running running = threeOfFour(NOW);
    running.runs(gang("h", 1), "a");

    assertThat(running.plan())
        .last()
        .isEqualTo(new Release(List.of(new NodeId("b"), new NodeId("c"))));
  }

  @Test
  void leavesTheNodesOfACancelledGangToEverybody() {
    Running running = threeOfFour(NOW);
    running.scenario.waiting.clear();
    running.scenario.gangs(gang("h", 2));

    assertThat(running.plan()).hasSize(1).first().isInstanceOf(Place.class);
  }

  @Test
  void launchesForEachOfManyGangsOnce() {
    Running running = new Running();
    running.scenario.offers(HERE);
    for (int i = 0; i < 5; i++) {
      running.scenario.gangs(gang("g" + i, 1));
    }
    running.scenario.inFlight("g1", HERE, 1).inFlight("g3", HERE, 1);

    assertThat(running.plan().stream().filter(Launch.class::isInstance).toList())
        .extracting(d -> ((Launch) d).gang().value())
        .containsExactly("g0", "g2", "g4");
  }

  @Test
  void launchesNothingWhereTheMostIsTooLittleAndSaysHowMuchItIs() {
    Running running = new Running().nodes(node("a", GPU, "z", ""));
    running.runs(gang("h", 1), "a");
    running.scenario.offers(offer(GPU, "z", 3, "1")).gangs(gang("g", 4));

    assertThat(((Wait) running.plan().getFirst()).reasons())
        .containsExactly(
            new WaitReason.NotEnoughNodes(4, "zone z of local with shape gpu", 0, 1, 3, List.of()));
  }

  @Test
  void refusesNobodyBecauseAZoneIsOutOfStock() {
    Running running = new Running();
    running.scenario.offers(offer(GPU, "z", 0, "1")).gangs(gang("g", 4));

    assertThat(running.plan()).hasOnlyElementsOfType(Wait.class);
    running.scenario.offers.clear();
    assertThat(running.plan()).hasOnlyElementsOfType(Refuse.class);
  }

  @Test
  void coolsDownTwiceAsLongWithEveryFailureUpToALimit() {
    Launching policy = new Launching(Late.REFUND, Duration.ofSeconds(30), Duration.ofMinutes(3));

    assertThat(List.of(1, 2, 3, 4, Integer.MAX_VALUE))
        .extracting(failures -> policy.coolDown(failures).toSeconds())
        .containsExactly(30L, 60L, 120L, 180L, 180L);
    assertThat(
            new Launching(Late.REFUND, Duration.ZERO, Duration.ofSeconds(1))
                .coolDown(Integer.MAX_VALUE))
        .isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> policy.coolDown(0))
        .withMessageContaining("received: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Launching(Late.KEEP, Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .withMessageContainingAll("PT2S", "PT1S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> launch("l", 2, 3, NOW))
        .withMessageContainingAll("launch l", "received: 3");
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Running.rack;
import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.offer;
import static dev.clustered.core.plan.Scenario.rdma;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Grow;
import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Replace;
import dev.clustered.core.plan.Decision.Requeue;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.Offer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How a gang that has used or lost a spare gets one anew. */
class SparesBackTest {

  private static final Offer OFFER = offer(GPU, "z", 9, "1");
  private static final GangRequest ONE_SPARE = gang("g", 1).withSpares(1);

  private static Running lacksASpare() {
    return new Running().nodes(rack("r1", 1)).runs(ONE_SPARE, "r1-1");
  }

  private static List<String> spares(List<Decision> plan) {
    return plan.stream()
        .filter(Grow.class::isInstance)
        .map(Grow.class::cast)
        .flatMap(grow -> grow.spares().stream())
        .map(spare -> spare.node().value())
        .toList();
  }

  @Test
  void aNodeThatIsIdleBecomesASpareWhileTheGangRunsAndNothingIsLaunched() {
    Running running = lacksASpare().nodes(rack("r2", 2));
    running.scenario.offers(OFFER);

    assertThat(running.plan()).hasSize(1);
    assertThat(spares(running.plan())).containsExactly("r2-1");
  }

  @Test
  void withoutAnIdleNodeOneIsLaunchedInItsZoneAndOfItsShape() {
    Running running = lacksASpare().nodes(node("elsewhere", GPU, "y", ""));
    running.scenario.offers(offer(GPU, "y", 9, "0"), offer(FAST, "z", 9, "0"), OFFER);

    assertThat(running.plan())
        .containsExactly(new Launch(ONE_SPARE.id(), OFFER, 1, Optional.empty()));
  }

  @Test
  void withoutAnOfferItGoesOnWithout() {
    assertThat(lacksASpare().plan()).isEmpty();
    Running running = lacksASpare();
    running.scenario.offers(OFFER).coolDown(OFFER, Duration.ofSeconds(5));
    assertThat(running.plan()).isEmpty();
  }

  @Test
  void oneThatIsUnderWayIsNotLaunchedTwiceAndIsItsOwnOnceItIsReady() {
    Running running = lacksASpare();
    running.scenario.offers(OFFER).inFlight("g", OFFER, 1);
    assertThat(running.plan()).isEmpty();

    running.nodes(Scenario.broughtBy("to-g", node("n", GPU, "z", "")));
    running.scenario.gangs(gang("w", 1));
    List<Decision> plan = running.plan();

    assertThat(plan.getFirst())
        .isEqualTo(new Launch(gang("w", 1).id(), OFFER, 1, Optional.empty()));
    assertThat(spares(plan)).containsExactly("n");
  }

  @Test
  void asManyAreLaunchedAsThereAreOffered() {
    Running running = new Running().nodes(rack("r1", 1)).runs(gang("g", 1).withSpares(3), "r1-1");
    Offer two = offer(GPU, "z", 2, "1");
    running.scenario.offers(two);

    assertThat(running.plan())
        .containsExactly(new Launch(ONE_SPARE.id(), two, 2, Optional.empty()));
  }

  @Test
  void whoWaitsIsServedFirst() {
    Running running = lacksASpare().nodes(rack("r2", 1));
    running.scenario.gangs(gang("w", 1)).offers(offer(GPU, "z", 1, "1"));

    List<Decision> plan = running.plan();

    assertThat(plan.getFirst()).isInstanceOf(Place.class);
    assertThat(plan.getLast()).isInstanceOf(Launch.class);
    running.scenario.waiting.clear();
    running.scenario.gangs(gang("w", 3));
    assertThat(running.plan()).as("all could be of use to w").hasOnlyElementsOfType(Wait.class);
  }

  @Test
  void withRdmaOnlyANodeOfItsFabricIsASpareAndNoneIsLaunched() {
    Running running =
        new Running()
            .nodes(node("a", FAST, "z", "f1"), node("b", FAST, "z", "f2"))
            .runs(rdma(gang("g", 1)).withSpares(1), "a");
    running.scenario.offers(offer(FAST, "z", 9, "1"));
    assertThat(running.plan()).isEmpty();

    assertThat(spares(running.nodes(node("c", FAST, "z", "f1")).plan())).containsExactly("c");
  }

  @Test
  void theSpareThatReplacesALostNodeIsItselfReplacedInTheSamePlan() {
    Running running = new Running().nodes(rack("r1", 3)).runs(ONE_SPARE, "r1-1", "r1-2");

    List<Decision> plan = running.lost("r1-1").plan();

    assertThat(((Replace) plan.getFirst()).replacements().getFirst().spare()).isTrue();
    assertThat(spares(plan)).containsExactly("r1-3");
  }

  @Test
  void aLostRankWaitsForASpareThatBootsAndNothingElseIsLaunched() {
    Running running =
        new Running()
            .nodes(rack("r1", 2))
            .runs(ONE_SPARE, "r1-1", "r1-2")
            .health(NodeHealth.BOOTING, "r1-2")
            .lost("r1-1");
    running.scenario.offers(OFFER);
    assertThat(running.plan()).hasOnlyElementsOfType(Wait.class).hasSize(1);

    running.health(NodeHealth.READY, "r1-2");
    assertThat(running.plan().getFirst()).isInstanceOf(Replace.class);
  }

  @Test
  void aLostRankIsNotWaitedForWhenTheSpareThatBootsIsOnAnotherFabric() {
    Running running =
        new Running()
            .nodes(node("a", FAST, "z", "f1"), node("a2", FAST, "z", "f1"))
            .nodes(node("b", FAST, "z", "f2"))
            .runs(rdma(gang("g", 2)).withSpares(1), "a", "a2", "b")
            .health(NodeHealth.BOOTING, "b")
            .lost("a");

    assertThat(running.plan()).hasOnlyElementsOfType(Requeue.class);
  }

  @Test
  void aSpareAndARankMoreAreDecidedTogetherTheSpareFirst() {
    Running running = new Running().nodes(rack("r1", 2)).runs(ONE_SPARE, "r1-1");
    GangRequest elastic =
        ONE_SPARE.withRoles(List.of(new Role(Role.ONLY, 3, Need.WHOLE_NODE).withMinimum(1)));
    running.gangs.replaceAll(gang -> gang.asking(elastic).withPhase(RunningGang.Phase.RESTARTING));

    assertThat(spares(running.plan())).containsExactly("r1-2");
    Grow both = (Grow) running.nodes(rack("r2", 1)).plan().getFirst();
    assertThat(both.spares()).hasSize(1);
    assertThat(both.assignments()).hasSize(1);
  }

  @Test
  void aQueueIsChargedForSparesThatAreLaunched() {
    Running running = new Running().nodes(rack("r1", 1));
    GangRequest request = Scenario.each(gang("g", 1), Scenario.gpus(8)).withSpares(1);
    running.runs(request.withTerms(request.terms().withQueue("q")), "r1-1");
    running.scenario.offers(OFFER);
    for (int limit : List.of(8, 16)) {
      QueueTree tree = new QueueTree(List.of(Queues.share("q", "", limit)), Queues.HALF_LIFE);
      running.policy = new PlanPolicy(Scenario.IDLE_TIME).withQueues(tree);
      assertThat(running.plan()).as("%d GPUs", limit).hasSize(limit == 8 ? 0 : 1);
    }
    running.scenario.inFlight("g", OFFER, 1);
    GangRequest later = Scenario.each(gang("w", 1), Scenario.gpus(8));
    running.scenario.gangs(later.withTerms(later.terms().withQueue("q")));
    assertThat(running.plan()).hasOnlyElementsOfType(Wait.class);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Queues.running;
import static dev.clustered.core.plan.Queues.share;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.WaitReason.QueueLimit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What plans make of queues. */
class QuotaPlanTest {

  private static final QueueShare A = share("a", "", 8);
  private static final QueueShare B = share("b", "", 8);

  private static GangRequest gang(String id, String queue, int nodes) {
    return Scenario.gang(id, nodes).withTerms(Terms.DEFAULT.withQueue(queue));
  }

  private static List<Decision> plan(Queues queues, int nodes) {
    List<NodeView> there =
        java.util.stream.IntStream.range(0, nodes)
            .mapToObj(i -> node("n" + i, GPU, "z", ""))
            .toList();
    return Planner.plan(queues.snapshot(there)).decisions();
  }

  @Test
  void placesNothingBeyondTheLimitOfAQueueAndKeepsNobodyFromTheNodes() {
    List<Decision> plan =
        plan(
            new Queues()
                .shares(A.withBorrowing(gpus(0)), B)
                .running(running("r", "a", 8))
                .waiting(gang("full", "a", 1), gang("free", "b", 1)),
            2);

    assertThat(plan)
        .filteredOn(Wait.class::isInstance)
        .singleElement()
        .extracting(d -> ((Wait) d).reasons())
        .isEqualTo(List.of(new QueueLimit("a", gpus(8), gpus(8), gpus(8), gpus(0), gpus(0))));
    assertThat(plan).filteredOn(Place.class::isInstance).hasSize(1);
  }

  @Test
  void letsTwoBorrowersOfOnePlanHaveNoMoreThanThereIs() {
    List<Decision> plan =
        plan(
            new Queues()
                .shares(A, B, share("c", "", 8))
                .waiting(gang("g", "a", 2), gang("h", "b", 2)),
            9);

    assertThat(plan).filteredOn(Place.class::isInstance).hasSize(1);
    assertThat(plan).filteredOn(Wait.class::isInstance).hasSize(1);
  }

  @Test
  void placesAGangOfAQueueBehindManyThatCannotBe() {
    Queues queues = new Queues().shares(A.withBorrowing(gpus(0)), B.withLending(gpus(0)));
    for (int i = 0; i < 1_000; i++) {
      queues.waiting(gang("large" + i, "b", 2));
    }
    queues.waiting(gang("fits", "a", 1));

    assertThat(plan(queues, 4))
        .filteredOn(Place.class::isInstance)
        .extracting(d -> ((Place) d).gang().value())
        .containsExactly("fits");
  }

  @Test
  void refusesWhatAQueueCanNeverHaveAndQueuesThatThereAreNot() {
    List<Decision> plan =
        plan(
            new Queues().shares(A, B).waiting(gang("large", "a", 3), gang("lost", "nobody", 1)), 4);

    assertThat(plan)
        .extracting(d -> ((Refuse) d).code())
        .containsExactlyInAnyOrder(ErrorCode.CANNOT_EVER_FIT, ErrorCode.INVALID_SPEC);
    assertThat(plan.toString())
        .contains("asks 24 × GPU; its queue a can never have more than 16 × GPU")
        .contains("the queue nobody of gang lost is unknown; there are: a, b");
  }

  @Test
  void takesAnotherShapeWhenTheQueueMayHaveNoMoreOfTheFirst() {
    Queues queues = new Queues().shares(A.withBorrowing(gpus(0)), B).waiting(gang("g", "a", 2));
    List<NodeView> nodes =
        List.of(
            node("g0", GPU, "z", ""),
            node("g1", GPU, "z", ""),
            node("s0", SMALL, "z", ""),
            node("s1", SMALL, "z", ""));

    assertThat(Planner.plan(queues.snapshot(nodes)).decisions())
        .singleElement()
        .isInstanceOfSatisfying(
            Place.class,
            p -> assertThat(p.assignments().getFirst().node().value()).isEqualTo("s0"));
  }

  @Test
  void saysTheSameOfEveryOrderOfQueues() {
    List<GangRequest> waiting =
        List.of(gang("g", "a", 1), gang("h", "b", 1), gang("i", "a", 1), gang("j", "b", 1));
    Queues one = new Queues().shares(A, B).waiting(waiting.toArray(GangRequest[]::new));
    Queues other = new Queues().shares(B, A).waiting(waiting.toArray(GangRequest[]::new));

    assertThat(plan(one, 3)).isEqualTo(plan(other, 3));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Queues.demand;
import static dev.clustered.core.plan.Queues.gang;
import static dev.clustered.core.plan.Queues.running;
import static dev.clustered.core.plan.Queues.share;
import static dev.clustered.core.plan.Scenario.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Resources;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TurnsTest {

  private static final QueueShare A = share("a", "", 8);
  private static final QueueShare B = share("b", "", 8);
  private static final List<WaitReason> DENIED =
      List.of(
          new WaitReason.QueueLimit(
              "a", Resources.NONE, Resources.NONE, Resources.NONE, Resources.NONE, Resources.NONE));
  private static final QueueShare ROOMY = share("roomy", "", 100);

  private static QueueUse used(String queue, double gpus) {
    return new QueueUse(queue, gpus * QueueUse.full(Queues.HALF_LIFE), 0, 0, NOW);
  }

  @Test
  void servesByPriorityThenWhoWaitsLongestWithoutQueues() {
    Queues queues =
        new Queues()
            .waiting(
                gang("late", "", 1, NOW.plusSeconds(9)),
                gang("early", "", 1, NOW),
                gang("urgent", "", 1).withPriority(5));

    assertThat(queues.served()).containsExactly("urgent", "early", "late");
  }

  @Test
  void servesAHigherPriorityBeforeASmallerShare() {
    Queues queues =
        new Queues()
            .shares(A, B)
            .running(running("r", "a", 7))
            .waiting(gang("low", "b", 1), gang("high", "a", 4).withPriority(1));

    assertThat(queues.served()).containsExactly("high", "low");
  }

  @Test
  void servesTheGangThatWaitsLongestInAQueue() {
    Queues queues =
        new Queues()
            .shares(A)
            .waiting(
                gang("second", "a", 1, NOW.minusSeconds(1)),
                gang("third", "a", 1, NOW),
                gang("fourth", "a", 1, NOW),
                gang("first", "a", 1, NOW.minusSeconds(2)));

    assertThat(queues.served()).containsExactly("first", "second", "third", "fourth");
  }

  @Test
  void servesAQueueThatStaysWithinItsShareBeforeOneThatWouldBorrow() {
    Queues queues =
        new Queues()
            .shares(share("small", "", 2), share("large", "", 30))
            .running(running("r1", "small", 2), running("r2", "large", 20))
            .waiting(gang("borrows", "small", 1), gang("owns", "large", 10));

    assertThat(queues.served()).containsExactly("owns", "borrows");
  }

  @Test
  void servesQueuesInTurnWhoseShareIsSmallest() {
    Queues queues =
        new Queues()
            .shares(A, B, ROOMY)
            .running(running("r", "b", 1))
            .waiting(
                gang("a1", "a", 2), gang("a2", "a", 2), gang("b1", "b", 2), gang("b2", "b", 2));

    assertThat(queues.served()).containsExactly("a1", "b1", "a2", "b2");
  }

  @Test
  void weighsShares() {
    Queues queues =
        new Queues()
            .shares(A.withWeight(3), B, ROOMY)
            .waiting(
                gang("a1", "a", 1),
                gang("a2", "a", 1),
                gang("a3", "a", 1),
                gang("a4", "a", 1),
                gang("b1", "b", 1),
                gang("b2", "b", 1));

    assertThat(queues.served()).containsExactly("a1", "b1", "a2", "a3", "a4", "b2");
  }

  @Test
  void comparesSharesFromTheRootDown() {
    Queues queues =
        new Queues()
            .shares(
                share("x", "", 40), share("x1", "x", 20), share("x2", "x", 20), share("y", "", 40))
            .running(running("r1", "x1", 10), running("r2", "y", 6))
            .waiting(gang("idle-of-x", "x2", 1), gang("of-y", "y", 1));

    assertThat(queues.served())
        .as("x2 has nothing, but x more than y")
        .containsExactly("of-y", "idle-of-x");
  }

  @Test
  void countsPastUseByHowLongAgoItWas() {
    Queues queues =
        new Queues()
            .shares(A, B, ROOMY)
            .uses(used("a", 2), used("b", 1), used("gone", 50))
            .waiting(gang("of-a", "a", 1), gang("of-b", "b", 1));
    assertThat(queues.served()).containsExactly("of-b", "of-a");

    QueueUse longAgo = used("a", 2);
    queues.uses.set(
        0,
        new QueueUse("a", longAgo.gpuSeconds(), 0, 0, NOW.minus(Queues.HALF_LIFE.multipliedBy(2))));
    assertThat(queues.served())
        .as("2 two half-lives ago are less than 1 now")
        .containsExactly("of-a", "of-b");
  }

  @Test
  void givesTheGangsOfAQueueWithQueuesInsideAShareOfTheirOwn() {
    Queues queues =
        new Queues()
            .shares(share("x", "", 40), share("x1", "x", 20))
            .running(running("r1", "x", 3), running("r2", "x1", 2))
            .waiting(gang("of-x", "x", 1), gang("of-x1", "x1", 1));

    assertThat(queues.served()).containsExactly("of-x1", "of-x");
  }

  @Test
  void aBurstGainsNothing() {
    Queues queues = new Queues().shares(share("many", "", 50), share("few", "", 50));
    for (int i = 0; i < 64; i++) {
      queues.waiting(gang("m%02d".formatted(i), "many", 1, NOW));
    }
    for (int i = 0; i < 8; i++) {
      queues.waiting(gang("f" + i, "few", 8, NOW));
    }
    Quotas quotas = queues.quotas();
    Turns turns = new Turns(Waiting.of(queues.waiting), quotas, Collections.emptySet());
    int many = 0;
    int few = 0;
    while (many + few < 96) {
      GangRequest next = turns.next().orElseThrow();
      quotas.charge(next, quotas.least(next));
      if (next.terms().queue().equals("many")) {
        many++;
      } else {
        few += 8;
      }
    }

    assertThat(many)
        .as("GPUs of many small gangs beside %d of few large ones", few)
        .isBetween(40, 50);
  }

  @Test
  void ranksAnewWhoseGangsWereEndedMeanwhile() {
    RunningGang victim = running("r", "x2", 10);
    Queues queues =
        new Queues()
            .shares(
                share("x", "", 40), share("x1", "x", 20), share("x2", "x", 20), share("y", "", 40))
            .running(victim, running("r2", "y", 6))
            .waiting(gang("y1", "y", 1, NOW), gang("y2", "y", 1, NOW), gang("of-x1", "x1", 1, NOW));
    Quotas quotas = queues.quotas();
    Turns turns = new Turns(Waiting.of(queues.waiting), quotas, Collections.emptySet());

    assertThat(turns.next().orElseThrow().id().value()).isEqualTo("y1");
    quotas.giveBack(victim);
    assertThat(turns.next().orElseThrow().id().value()).isEqualTo("of-x1");
  }

  /** Queue a is full; three alike wait in it, and one that asks for less. */
  private static Queues full(RunningGang... running) {
    return new Queues()
        .shares(share("a", "", 8), share("b", "", 8))
        .running(running)
        .waiting(
            gang("first", "a", 4),
            gang("second", "a", 4),
            gang("third", "a", 4),
            gang("small", "a", 1));
  }

  private static Optional<String> next(Turns turns) {
    return turns.next().map(gang -> gang.id().value());
  }

  private static Wait denied(String gang) {
    return new Wait(new ClusterId(gang), DENIED, Optional.empty());
  }

  private static List<String> told(Turns turns) {
    return waits(turns).stream().map(wait -> wait.gang().value()).toList();
  }

  private static List<Wait> waits(Turns turns) {
    List<Decision> all = new ArrayList<>();
    turns.addWaits(all);
    return all.stream().map(Wait.class::cast).toList();
  }

  @Test
  void passesOverWhoIsLikeAGangThatItsQueueDenies() {
    Queues queues = full(running("r", "a", 8));
    Quotas quotas = queues.quotas();
    Turns turns = new Turns(Waiting.of(queues.waiting), quotas, Collections.emptySet());

    assertThat(next(turns)).contains("first");
    turns.passOver(denied("first"), List.of(quotas.accounts().leaf("a")), gang -> true);
    assertThat(next(turns)).contains("small");
    assertThat(next(turns)).isEmpty();
    assertThat(told(turns)).containsExactly("second", "third");
    assertThat(waits(turns)).allSatisfy(wait -> assertThat(wait.reasons()).isEqualTo(DENIED));
  }

  @Test
  void comesBackToThemWhenTheQueueHasGivenSomethingBack() {
    RunningGang victim = running("r", "a", 8);
    Queues queues = full(victim);
    Quotas quotas = queues.quotas();
    Turns turns = new Turns(Waiting.of(queues.waiting), quotas, Collections.emptySet());

    assertThat(next(turns)).contains("first");
    turns.passOver(denied("first"), List.of(quotas.accounts().leaf("a")), gang -> true);
    quotas.giveBack(victim);
    assertThat(next(turns)).contains("second");
    assertThat(next(turns)).contains("third");
    assertThat(next(turns)).contains("small");
    assertThat(told(turns)).isEmpty();
  }

  @Test
  void comesBackToThemWhenOthersHaveTakenMoreMeanwhileAndGivenItBack() {
    Queues queues = full(running("r", "a", 5)).waiting(gang("s2", "a", 1), gang("s3", "a", 1));
    Quotas quotas = queues.quotas();
    Account a = quotas.accounts().leaf("a");
    Turns turns = new Turns(Waiting.of(queues.waiting), quotas, Collections.emptySet());

    assertThat(next(turns)).contains("first");
    turns.passOver(denied("first"), List.of(a), gang -> true);
    GangRequest small = turns.next().orElseThrow();
    quotas.charge(small, demand(3));
    assertThat(next(turns)).contains("s2");
    turns.passOver(denied("first"), List.of(a), gang -> true);
    quotas.charge(small, demand(1));

    assertThat(next(turns)).contains("second");
    assertThat(next(turns)).contains("third");
    assertThat(next(turns)).contains("s3");
  }

  @Test
  void servesAGangWhoseLaunchIsUnderWayApartFromThoseLikeIt() {
    Queues queues = full(running("r", "a", 8));
    Quotas quotas = queues.quotas();
    Turns turns =
        new Turns(
            Waiting.of(queues.waiting), quotas, Collections.singleton(new ClusterId("second")));

    assertThat(next(turns)).contains("first");
    turns.passOver(denied("first"), List.of(quotas.accounts().leaf("a")), gang -> true);
    assertThat(next(turns)).contains("second");
    assertThat(next(turns)).contains("small");
    assertThat(told(turns)).containsExactly("third");
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void isTheSameForEveryOrderOfTheSameContent(long seed) {
    Random random = new Random(seed);
    Queues queues = RandomQueues.queues(random);
    for (int i = 0; i < 40; i++) {
      queues.waiting(
          gang(
                  "w" + i,
                  RandomQueues.queue(random, queues),
                  1 + random.nextInt(6),
                  NOW.minus(Duration.ofSeconds(i)))
              .withPriority(random.nextInt(2)));
    }
    List<String> order = queues.served();
    List<List<?>> parts = List.of(queues.shares, queues.running, queues.uses, queues.waiting);
    parts.forEach(part -> Collections.shuffle(part, random));

    assertThat(queues.served()).as("seed %d", seed).isEqualTo(order);
    assertThat(new ArrayList<>(order)).as("seed %d", seed).hasSize(40).doesNotHaveDuplicates();
  }
}

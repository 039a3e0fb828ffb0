// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Queues.ofModel;
import static dev.clustered.core.plan.Queues.share;
import static dev.clustered.core.plan.Scenario.cpus;
import static dev.clustered.core.plan.Scenario.gpus;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueTreeTest {

  private static QueueTree tree(QueueShare... queues) {
    return new QueueTree(List.of(queues), Duration.ofDays(1));
  }

  private static void refuses(ThrowingCallable bad, String... parts) {
    assertThatIllegalArgumentException().isThrownBy(bad).withMessageContainingAll(parts);
  }

  @Test
  void refusesAParentThatIsMissing() {
    refuses(
        () -> tree(share("a", "", 1), share("b", "nobody", 1)),
        "the parent nobody of queue b is no queue; there are: a, b");
  }

  @Test
  void refusesAQueueInsideItself() {
    refuses(() -> tree(share("a", "a", 1)), "the queue a is inside itself, by [a]");
    refuses(
        () -> tree(share("a", "c", 1), share("b", "a", 1), share("c", "b", 1), share("d", "", 1)),
        "the queue a is inside itself, by [a, c, b]");
  }

  @Test
  void refusesANameThatStandsTwiceOrIsEmpty() {
    refuses(() -> tree(share("a", "", 1), share("a", "", 2)), "the queue a stands twice");
    refuses(() -> share(" ", "a", 1), "only the root has none; received: ' ' under 'a'");
  }

  @Test
  void refusesSharesThatAddUpToMoreThanTheParentOwns() {
    refuses(
        () -> tree(share("p", "", 8), share("a", "p", 5), share("b", "p", 4)),
        "the queues a, b own 9 × GPU in all, more than the 8 × GPU of their parent p");
    refuses(
        () -> tree(share("p", "", 8), new QueueShare("a", "p", cpus(1))),
        "the queues a own 1 CPUs in all, more than the 0 CPUs of their parent p");
    refuses(
        () -> tree(share("p", "", 8), new QueueShare("a", "p", ofModel("H200", 8))),
        "own 8 × H200 in all, more than the 0 × H200 of their parent p");
    assertThatCode(() -> tree(share("p", "", 9), share("a", "p", 5), share("b", "p", 4)))
        .doesNotThrowAnyException();
  }

  @Test
  void refusesSharesThatCannotBeCounted() {
    Resources absurd = new Resources(0, "", 0, new ByteSize(Long.MAX_VALUE));
    refuses(
        () -> tree(new QueueShare("a", "", absurd), new QueueShare("b", "", absurd)),
        "the queues a, b own",
        "more than the 32768 TiB of that can be counted");
    assertThatCode(() -> tree(share("a", "", Integer.MAX_VALUE), share("b", "", Integer.MAX_VALUE)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void refusesAWeightThatIsNone(double weight) {
    refuses(
        () -> share("a", "", 1).withWeight(weight),
        "the weight of queue a is more than 0 and finite; received: " + weight);
  }

  @Test
  void refusesToLendWhatAQueueDoesNotOwn() {
    refuses(
        () -> share("a", "", 2).withLending(Scenario.gpus(3)),
        "queue a lends no more than its own, 2 × GPU, 0 CPUs, 0 B; received: 3 × GPU");
    assertThatCode(() -> share("a", "", 2).withLending(Scenario.gpus(2)))
        .doesNotThrowAnyException();
  }

  @Test
  void refusesAHalfLifeOfNothing() {
    refuses(() -> new QueueTree(List.of(), Duration.ZERO), "longer than zero; received: PT0S");
  }

  @Test
  void refusesAUseThatIsNone() {
    refuses(
        () -> new QueueUse("a", Double.NaN, 0, 0, Instant.EPOCH),
        "the GPU seconds of queue a are 0 or more and finite; received: NaN");
    refuses(() -> new QueueUse("a", 0, -1, 0, Instant.EPOCH), "CPU seconds", "received: -1.0");
  }

  @Test
  void takesATreeOfAnyDepth() {
    List<QueueShare> chain = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      chain.add(new QueueShare("q" + i, i == 0 ? "" : "q" + (i - 1), gpus(8)));
    }
    QueueTree tree = new QueueTree(chain, Duration.ofDays(1));
    Quotas quotas = new Quotas(tree, new Queues().snapshot());

    assertThatCode(() -> quotas.charge(Queues.gang("g", "q19999", 1), Queues.demand(1)))
        .doesNotThrowAnyException();
  }
}

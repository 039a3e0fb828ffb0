// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Queues.demand;
import static dev.clustered.core.plan.Queues.gang;
import static dev.clustered.core.plan.Queues.ofModel;
import static dev.clustered.core.plan.Queues.running;
import static dev.clustered.core.plan.Queues.share;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.WaitReason.QueueLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuotaTest {

  private static final QueueShare A = share("a", "", 8);
  private static final QueueShare B = share("b", "", 8);

  private static boolean allows(Quotas quotas, String queue, int gpus) {
    return quotas.refuses(gang("new", queue, gpus), demand(gpus)).isEmpty();
  }

  /** The most GPUs that a queue could have more. */
  private static int room(Quotas quotas, String queue) {
    return (int) IntStream.rangeClosed(1, 200).takeWhile(n -> allows(quotas, queue, n)).count();
  }

  private static Refuse never(Quotas quotas, String queue, int gpus) {
    return quotas.never(gang("new", queue, gpus), demand(gpus)).orElseThrow();
  }

  @Test
  void limitsNothingWithoutQueues() {
    Snapshot snapshot = new Queues().running(running("r", "", 500)).snapshot();
    Quotas quotas = new Quotas(QueueTree.NONE, snapshot);

    assertThat(room(quotas, "")).isEqualTo(200);
    assertThat(quotas.never(gang("g", "", 1), demand(Integer.MAX_VALUE))).isEmpty();
    assertThat(quotas.borrows(gang("g", "", 1), demand(1))).isFalse();
    assertThat(quotas.sameQueue(gang("g", "", 1), running("r", "", 500))).isTrue();
  }

  @Test
  void saysWhichQueueIsAtItsLimitInNumbers() {
    Quotas quotas =
        new Queues()
            .shares(A.withBorrowing(gpus(2)), share("b", "", 20))
            .running(running("r", "a", 7))
            .quotas();

    assertThat(quotas.refuses(gang("g", "a", 4), demand(4)))
        .contains(new QueueLimit("a", gpus(4), gpus(7), gpus(10), gpus(0), gpus(0)))
        .map(Object::toString)
        .contains("queue a is at its limit: asked 4 × GPU, with 7 of 10 in use");
    assertThat(quotas.refuses(gang("g", "b", 22), demand(22)))
        .as("b may borrow all that a leaves")
        .contains(new QueueLimit("", gpus(22), gpus(7), gpus(28), gpus(0), gpus(0)))
        .map(Object::toString)
        .contains("the root of all queues is at its limit: asked 22 × GPU, with 7 of 28 in use");
  }

  @Test
  void saysWhatIsLentAndWhatIsNot() {
    Queues queues = new Queues().shares(A.withLending(gpus(2)), B).running(running("r", "b", 10));
    assertThat(queues.quotas().refuses(gang("g", "b", 1), demand(1)))
        .as("a keeps 6 of its 8, so 10 of all 16 are not too many, and 11 are")
        .contains(new QueueLimit("", gpus(1), gpus(10), gpus(16), gpus(6), gpus(0)))
        .map(Object::toString)
        .contains(
            "the root of all queues is at its limit: asked 1 × GPU, with 10 of 16 in use, and 6 not"
                + " lent by the queues that own it");
    assertThat(queues.quotas().refuses(gang("g", "a", 7), demand(7)))
        .as("what a keeps is its own to use")
        .contains(new QueueLimit("", gpus(7), gpus(10), gpus(16), gpus(0), gpus(2)))
        .map(Object::toString)
        .contains(
            "the root of all queues is at its limit: asked 7 × GPU, with 10 of 16 in use, 2 of that"
                + " lent by the gang's own queue");
  }

  @Test
  void saysTheLimitAsItIsWhenMoreIsInUse() {
    Quotas quotas = new Queues().shares(A, B).running(running("r", "b", 24)).quotas();
    assertThat(quotas.refuses(gang("g", "a", 8), demand(8)))
        .contains(new QueueLimit("", gpus(8), gpus(24), gpus(16), gpus(0), gpus(8)));
  }

  @Test
  void lendsWhatIsNotUsed() {
    Quotas quotas = new Queues().shares(A, B).running(running("r", "b", 3)).quotas();

    assertThat(room(quotas, "a")).isEqualTo(13);
    assertThat(quotas.borrows(gang("g", "a", 8), demand(8))).isFalse();
    assertThat(quotas.borrows(gang("g", "a", 9), demand(9))).isTrue();
  }

  @Test
  void lendsAndBorrowsNoMoreThanItsLimits() {
    Quotas quotas = new Queues().shares(A.withLending(gpus(3)), B.withBorrowing(gpus(5))).quotas();

    assertThat(room(quotas, "b")).as("8 of its own, 3 lent by a").isEqualTo(11);
    assertThat(room(quotas, "a")).as("8 of its own, all of b").isEqualTo(16);
    quotas.charge(gang("g", "b", 11), demand(11));
    assertThat(room(quotas, "a")).as("what a does not lend").isEqualTo(5);
  }

  @Test
  void borrowsThroughEveryLevelAsFarAsEachAllows() {
    Quotas quotas =
        new Queues()
            .shares(
                share("x", "", 10).withBorrowing(gpus(4)),
                share("x1", "x", 4),
                share("x2", "x", 3),
                share("y", "", 10).withLending(gpus(6)),
                share("y1", "y", 10))
            .quotas();

    assertThat(room(quotas, "x1")).as("4, 3 of x2, 3 of x itself, 4 of y").isEqualTo(14);
    assertThat(room(quotas, "x")).isEqualTo(14);
    assertThat(room(quotas, "y1")).isEqualTo(20);
    assertThat(room(quotas, "")).as("what x and y lend").isEqualTo(16);
    quotas.charge(gang("g", "y1", 8), demand(8));
    assertThat(room(quotas, "x1")).as("y has 2 left to lend").isEqualTo(12);
    quotas.charge(gang("h", "x2", 12), demand(12));
    assertThat(room(quotas, "y1")).as("no more than all in all").isEqualTo(0);
  }

  @Test
  void letsTwoBorrowersHaveNoMoreThanThereIs() {
    Quotas quotas = new Queues().shares(A, B, share("c", "", 8)).quotas();
    quotas.charge(gang("g", "a", 14), demand(14));

    assertThat(allows(quotas, "b", 10)).isTrue();
    quotas.charge(gang("h", "b", 10), demand(10));
    assertThat(allows(quotas, "c", 1)).isFalse();
  }

  @Test
  void chargesAGangOfAQueueThatIsGoneToTheRoot() {
    Quotas quotas = new Queues().shares(A).running(running("r", "gone", 5)).quotas();

    assertThat(room(quotas, "a")).isEqualTo(3);
    assertThat(quotas.mayReclaim(gang("g", "a", 8), running("r", "gone", 5), demand(8))).isTrue();
  }

  @Test
  void chargesAGangThatEndsForAnotherUntilThatOneIsCharged() {
    GangRequest next = gang("next", "a", 6);
    GangRequest promised = next.withClaim(new Claim(nodes(6), NOW.plusSeconds(1)));
    GangRequest late = next.withClaim(new Claim(nodes(6), NOW));
    RunningGang victim = running("v", "a", 8).endingFor(next.id());

    assertThat(room(queues(victim, promised), "a")).as("6 are promised").isEqualTo(2);
    assertThat(room(queues(victim, next), "a")).as("nothing is promised").isZero();
    assertThat(room(queues(victim, late), "a")).as("the promise is void").isZero();
    assertThat(room(queues(victim, gang("other", "a", 1)), "a")).as("cancelled").isZero();
  }

  private static List<NodeId> nodes(int count) {
    return IntStream.range(0, count).mapToObj(i -> new NodeId("n" + i)).toList();
  }

  private static Quotas queues(RunningGang running, GangRequest waiting) {
    List<NodeView> there = new ArrayList<>();
    nodes(8).forEach(id -> there.add(Scenario.node(id.value(), GPU, "z", "")));
    Queues queues = new Queues().shares(A).running(running).waiting(waiting);
    return new Quotas(queues.tree(), queues.snapshot(there));
  }

  @Test
  void chargesALaunchUnderWayOnce() {
    Queues queues = new Queues().shares(share("a", "", 32), share("b", "", 32));
    GangRequest whole = Scenario.gang("g", 2).withTerms(Terms.DEFAULT.withQueue("a")).withSpares(1);
    queues.waiting(whole.withClaim(new Claim(nodes(3), NOW.plusSeconds(9))));
    queues.launches.add(
        new LaunchView(
            new LaunchId("l"), whole.id(), Scenario.offer(GPU, "z", 0, "1"), 3, Optional.of(NOW)));
    Quotas quotas = queues.quotas();

    assertThat(room(quotas, "b")).isEqualTo(64 - 24);
    assertThat(quotas.refuses(whole, Total.of(whole.roles(), 1, GPU))).isEmpty();
    quotas.charge(whole, Total.of(whole.roles(), 1, GPU));
    assertThat(room(quotas, "b")).as("placed, and charged no second time").isEqualTo(64 - 24);
  }

  @Test
  void chargesAnElasticGangForItsRealSize() {
    RunningGang four = running("e", "a", 4);
    Quotas quotas = new Queues().shares(A).running(four).quotas();
    assertThat(room(quotas, "a")).isEqualTo(4);

    assertThat(quotas.refuses(four.request(), demand(8))).as("4 more").isEmpty();
    assertThat(quotas.refuses(four.request(), demand(9))).isPresent();
    quotas.charge(four.request(), demand(6));
    assertThat(room(quotas, "a")).isEqualTo(2);
    quotas.charge(four.request(), demand(5));
    assertThat(room(quotas, "a")).isEqualTo(3);
  }

  @Test
  void doesNotChargeRanksThatLeave() {
    RunningGang gang = running("e", "a", 4);
    List<Member> members = new ArrayList<>(gang.members());
    Member last = members.removeLast();
    members.add(new Member(last.rank(), last.role(), last.at(), true));
    RunningGang shrinks = new RunningGang(gang.request(), members, NOW, Optional.empty());

    assertThat(room(new Queues().shares(A).running(shrinks).quotas(), "a")).isEqualTo(5);
  }

  @Test
  void givesBackOnce() {
    RunningGang gang = running("r", "a", 6);
    Quotas quotas = new Queues().shares(A).running(gang).quotas();
    int mark = quotas.mark();

    quotas.giveBack(gang, Set.of(0, 5));
    assertThat(room(quotas, "a")).isEqualTo(4);
    quotas.giveBack(gang);
    quotas.giveBack(gang);
    quotas.giveBack(gang, Set.of(1));
    assertThat(room(quotas, "a")).isEqualTo(8);
    quotas.backTo(mark);
    assertThat(room(quotas, "a")).isEqualTo(2);
  }

  @Test
  void refusesAGangThatItsQueueCouldNeverHave() {
    Quotas quotas =
        new Queues()
            .shares(A.withBorrowing(gpus(4)), B.withLending(gpus(2)))
            .running(running("r", "b", 8))
            .quotas();

    assertThat(quotas.never(gang("g", "a", 10), demand(10))).isEmpty();
    assertThat(never(quotas, "a", 11).code()).isEqualTo(ErrorCode.CANNOT_EVER_FIT);
    assertThat(never(quotas, "a", 11).message())
        .isEqualTo(
            "gang new asks 11 × GPU; its queue a can never have more than 10 × GPU, of which it"
                + " owns 8 × GPU; ask for less or give it a larger share");
    assertThat(never(quotas, "b", 17).message()).contains("never have more than 16 × GPU");
    assertThat(never(quotas, "", 11).message())
        .contains("the root of all queues can never have more than 10 × GPU");
  }

  @Test
  void refusesAGangOfAnUnknownQueueByTheNamesOfThose() {
    assertThat(never(new Queues().shares(B, A).quotas(), "c", 1))
        .isEqualTo(
            new Refuse(
                gang("new", "c", 1).id(),
                ErrorCode.INVALID_SPEC,
                "the queue c of gang new is unknown; there are: a, b"));
    assertThat(never(new Queues().quotas(), "c", 1).message()).endsWith("none but the root");
  }

  @Test
  void neverAdmitsAnAmountThatCannotBeCounted() {
    Quotas quotas = new Queues().shares(A, share("b", "", Integer.MAX_VALUE)).quotas();
    Total absurd =
        new Total(List.of(new Total.Part(gpus(Integer.MAX_VALUE), Long.MAX_VALUE)))
            .plus(new Total(List.of(new Total.Part(gpus(8), Long.MAX_VALUE))));

    assertThat(quotas.never(gang("g", "a", 1), absurd)).isPresent();
    assertThat(quotas.refuses(gang("g", "a", 1), absurd)).isPresent();
  }

  @Test
  void doesNotLimitWhatNoQueueHasAShareOf() {
    Quotas quotas = new Queues().shares(A).quotas();
    Resources large = new Resources(8, "H200", 1_000, ByteSize.gibibytes(100_000));

    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(large))).isEmpty();
    assertThat(quotas.never(gang("g", "a", 1), Total.of(large))).isEmpty();
  }

  @Test
  void limitsEachOfGpusCpusAndMemory() {
    Resources own = new Resources(8, "", 16, ByteSize.gibibytes(64));
    Quotas quotas =
        new Queues().shares(new QueueShare("a", "", own).withBorrowing(Resources.NONE)).quotas();
    Resources memory = new Resources(0, "", 0, ByteSize.gibibytes(65));

    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(own))).isEmpty();
    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(Scenario.cpus(17))).orElseThrow())
        .hasToString("queue a is at its limit: asked 17 CPUs, with 0 of 16 in use");
    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(memory)).orElseThrow())
        .hasToString("queue a is at its limit: asked 65 GiB of memory, with 0 B of 64 GiB in use");
  }

  @Test
  void countsTheModelsThatSharesNameApart() {
    Quotas quotas =
        new Queues()
            .shares(
                new QueueShare("a", "", ofModel("H200", 8)),
                new QueueShare("b", "", ofModel("A100", 8)),
                new QueueShare("c", "", gpus(2)))
            .quotas();

    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(ofModel("H200", 8)))).isEmpty();
    assertThat(quotas.borrows(gang("g", "a", 1), Total.of(ofModel("A100", 1)))).isTrue();
    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(ofModel("A100", 9))).orElseThrow())
        .hasToString("the root of all queues is at its limit: asked 9 × A100, with 0 of 8 in use");
    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(ofModel("L4", 3))).orElseThrow())
        .as("models that no share names are counted as one")
        .hasToString("the root of all queues is at its limit: asked 3 × GPU, with 0 of 2 in use");
  }

  @Test
  void countsGpusWithoutAModelAsThoseOfTheNode() {
    NodeView node = Scenario.node("r-0", GPU, "z", "");
    Queues queues =
        new Queues()
            .shares(new QueueShare("a", "", ofModel("H200", 8)))
            .running(running(gang("r", "a", 1), gpus(5)));
    Quotas quotas = new Quotas(queues.tree(), queues.snapshot(List.of(node)));

    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(ofModel("H200", 3)))).isEmpty();
    assertThat(quotas.refuses(gang("g", "a", 1), Total.of(ofModel("H200", 4)))).isPresent();
    assertThat(quotas.least(gang("g", "a", 4)))
        .isEqualTo(new Total(List.of(new Total.Part(ofModel("H200", 1), 4))));
  }

  @Test
  void countsUseOfALongTime() {
    QueueUse use = QueueUse.none("a", NOW);
    Quotas quotas =
        new Queues()
            .shares(A)
            .uses(use.after(gpus(8), Duration.ofDays(9_999), Queues.HALF_LIFE))
            .quotas();

    assertThat(quotas.accounts().leaf("a").share(quotas.accounts().root())).isBetween(0.999, 1.001);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Queues.demand;
import static dev.clustered.core.plan.Queues.gang;
import static dev.clustered.core.plan.Queues.running;
import static dev.clustered.core.plan.Queues.share;
import static dev.clustered.core.plan.Scenario.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReclaimTest {

  private static final QueueShare A = share("a", "", 8);
  private static final QueueShare B = share("b", "", 8);

  private static boolean may(Quotas quotas, String queue, int gpus, RunningGang victim) {
    return quotas.mayReclaim(gang("new", queue, gpus), victim, demand(gpus));
  }

  @Test
  void letsAnOwnerHaveAllThatIsItsOwnBack() {
    RunningGang first = running("r1", "b", 12);
    RunningGang second = running("r2", "b", 4);
    Quotas quotas = new Queues().shares(A, B).running(first, second).quotas();

    assertThat(may(quotas, "a", 8, first)).isTrue();
    assertThat(may(quotas, "a", 8, second)).isTrue();
    assertThat(may(quotas, "a", 9, second)).as("a would borrow").isFalse();
  }

  @Test
  void endsNobodyWhoHasNoMoreThanItOwns() {
    RunningGang owner = running("r", "b", 8);
    Quotas quotas = new Queues().shares(A, B).running(owner).quotas();

    assertThat(may(quotas, "a", 8, owner)).isFalse();
  }

  @Test
  void endsNoMoreOfAQueueThanItBorrows() {
    RunningGang first = running("r1", "b", 8);
    RunningGang second = running("r2", "b", 4);
    Quotas quotas = new Queues().shares(A, B).running(first, second).quotas();
    quotas.giveBack(second);

    assertThat(may(quotas, "a", 8, first)).isFalse();
  }

  @Test
  void namesTogetherOnlyWhomItMayEndTogether() {
    RunningGang first = running("r1", "b", 3);
    RunningGang second = running("r2", "b", 4);
    RunningGang third = running("r3", "b", 5);
    RunningGang owner = running("r4", "c", 8);
    Quotas quotas =
        new Queues().shares(A, B, share("c", "", 8)).running(first, second, third, owner).quotas();
    GangRequest gang = gang("g", "a", 8);

    assertThat(quotas.reclaim(gang, demand(8)).among(List.of(owner, first, second, third)))
        .containsExactly(first, second);
    assertThat(quotas.reclaim(gang, demand(8)).among(List.of(third, first, second)))
        .containsExactly(third);
    assertThat(quotas.refuses(gang, demand(8))).as("all is as it was").isPresent();
  }

  @Test
  void leavesGangsOfTheSameQueueToTheirPriorities() {
    RunningGang same = running("r", "a", 12);
    Quotas quotas = new Queues().shares(A, B).running(same).quotas();

    assertThat(may(quotas, "a", 8, same)).isFalse();
    assertThat(quotas.sameQueue(gang("g", "a", 8), same)).isTrue();
    assertThat(quotas.sameQueue(gang("g", "b", 8), same)).isFalse();
  }

  @Test
  void reclaimsForAQueueWhoseParentOwnsEnough() {
    RunningGang far = running("r", "y", 13);
    Quotas quotas =
        new Queues()
            .shares(share("x", "", 8), share("x1", "x", 2), share("x2", "x", 6), share("y", "", 8))
            .running(far)
            .quotas();

    assertThat(may(quotas, "x1", 8, far)).as("x1 borrows of x2, x of nobody").isTrue();
    assertThat(may(quotas, "x1", 9, far)).isFalse();
  }

  @Test
  void doesNotTakeFromAQueueBesideItWhatOnlyTheirParentOwns() {
    RunningGang sibling = running("r", "x2", 7);
    Quotas quotas =
        new Queues()
            .shares(share("x", "", 8), share("x1", "x", 2), share("x2", "x", 6), share("y", "", 8))
            .running(sibling, running("s", "y", 8))
            .quotas();

    assertThat(may(quotas, "x1", 2, sibling)).isTrue();
    assertThat(may(quotas, "x1", 3, sibling)).isFalse();
  }

  @Test
  void sparesAnOwnerInsideAQueueThatBorrows() {
    RunningGang owner = running("owner", "y1", 4);
    RunningGang borrower = running("borrower", "y2", 12);
    Quotas quotas =
        new Queues()
            .shares(A, share("y", "", 8), share("y1", "y", 4), share("y2", "y", 4))
            .running(owner, borrower)
            .quotas();

    assertThat(may(quotas, "a", 8, owner)).isFalse();
    assertThat(may(quotas, "a", 8, borrower)).isTrue();
  }

  @Test
  void sparesAQueueThatHasMoreThanItsShareInsideOneThatDoesNot() {
    RunningGang inside = running("r", "y1", 6);
    Quotas quotas =
        new Queues()
            .shares(A, share("y", "", 8), share("y1", "y", 4), share("y2", "y", 4))
            .running(inside)
            .quotas();

    assertThat(may(quotas, "a", 8, inside)).as("y borrows of nobody").isFalse();
    assertThat(may(quotas, "y2", 4, inside)).isTrue();
  }

  @Test
  void countsAsBorrowedWhatAQueueInsideKeepsToItself() {
    RunningGang borrower = running("r", "y2", 6);
    Quotas quotas =
        new Queues()
            .shares(
                share("a", "", 4),
                share("y", "", 10),
                share("y1", "y", 8).withLending(gpus(0)),
                share("y2", "y", 2))
            .running(borrower)
            .quotas();

    assertThat(may(quotas, "a", 4, borrower)).as("4 of its 6 are of a, none of y1").isTrue();
  }

  @Test
  void takesBackWhatGangsOfTheRootHaveOfIt() {
    RunningGang homeless = running("r", "", 10);
    Quotas quotas = new Queues().shares(A, B).running(homeless).quotas();

    assertThat(may(quotas, "a", 8, homeless)).isTrue();
    assertThat(may(quotas, "", 1, running("none", "a", 1))).isFalse();
  }

  @Test
  void looksOnlyAtWhatTheGangTakes() {
    Resources own = new Resources(8, "", 100, ByteSize.ZERO);
    RunningGang cpus = running(gang("r", "b", 1), new Resources(4, "", 150, ByteSize.ZERO));
    Quotas quotas =
        new Queues()
            .shares(new QueueShare("a", "", own), new QueueShare("b", "", own))
            .running(cpus)
            .quotas();

    assertThat(may(quotas, "a", 8, cpus)).as("b borrows CPUs alone").isFalse();
    Total both = Total.of(new Resources(8, "", 10, ByteSize.ZERO));
    assertThat(quotas.mayReclaim(gang("g", "a", 8), cpus, both)).isTrue();
  }

  @Test
  void endsNobodyInTurnForWhomItWasEnded() {
    RunningGang victim = running("v", "b", 12);
    Quotas quotas = new Queues().shares(A, B).running(victim).quotas();
    GangRequest owner = gang("owner", "a", 8);
    assertThat(may(quotas, "a", 8, victim)).isTrue();

    quotas.giveBack(victim);
    quotas.charge(owner, demand(8));
    RunningGang placed = Queues.running(owner, gpus(1));
    assertThat(quotas.mayReclaim(victim.request(), placed, demand(12))).isFalse();
  }

  @Test
  void looksAgainWhenTheOwnerHasGivenBackWhatItHadBeyondItsOwn() {
    RunningGang own = running("own", "a", 12);
    RunningGang other = running("other", "b", 12);
    Queues queues = new Queues().shares(share("a", "", 8), B, share("c", "", 8));
    Quotas quotas = queues.running(own, other).quotas();
    Reclaim reclaim = quotas.reclaim(gang("new", "a", 1), demand(1));
    assertThat(reclaim.possible()).isFalse();
    assertThat(reclaim.among(List.of())).isEmpty();
    assertThat(reclaim.stands()).isTrue();

    quotas.giveBack(own);

    assertThat(reclaim.stands()).isFalse();
    assertThat(reclaim.among(List.of(other))).containsExactly(other);
  }
}

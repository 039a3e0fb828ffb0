// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static dev.clustered.core.lifecycle.Machine.ID;
import static dev.clustered.core.lifecycle.Machine.NOW;
import static dev.clustered.core.lifecycle.Machine.exit;
import static dev.clustered.core.lifecycle.Machine.finish;
import static dev.clustered.core.lifecycle.Machine.killed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.ClusterLife.Wanted;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the machine makes of lost nodes, and of those that replace them. */
class LostNodesTest {

  private static final NodeId OTHER = new NodeId("nd-other");

  private Machine machine = machine(RestartPolicy.upTo(2));

  private static Machine machine(RestartPolicy policy) {
    return new Machine(ClusterSpec.builder("x").nodes(2).command("true").restart(policy).build());
  }

  private static Fact.Replaced replaced(int rank, NodeId to, boolean booted) {
    return new Fact.Replaced(
        ID,
        NOW,
        List.of(
            new Fact.Replacement(
                OptionalInt.of(rank),
                new NodeId("nd-" + rank),
                new Fact.Slot(to, List.of()),
                booted)));
  }

  private void runAndLose(int rank) {
    machine.place();
    machine.run();
    machine.lose(rank);
  }

  private void pauseOver() {
    machine.know(new Fact.PauseOver(ID, NOW, machine.life.attempt()));
  }

  private void join(NodeId node) {
    machine.join(node);
  }

  private List<String> nodes() {
    return machine.life.ranks().stream().map(rank -> rank.node().value()).toList();
  }

  @Test
  void theOtherRanksAreEndedAndTheNextAttemptWaitsForANode() {
    runAndLose(1);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    assertThat(machine.life.wanted()).isEqualTo(Wanted.STOP);
    assertThat(machine.commands(Command.Tell.class))
        .extracting(Command.Tell::event)
        .anyMatch(
            event ->
                event instanceof ClusterEvent.AttemptFailed failed
                    && failed.cause().code() == ErrorCode.NODE_LOST
                    && failed.cause().rank().equals(OptionalInt.of(1)));
    machine.report(0, killed());
    pauseOver();
    assertThat(machine.life.attempt()).isEqualTo(1);
    machine.know(replaced(1, OTHER, true));
    assertThat(machine.life.attempt()).isEqualTo(2);
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(nodes()).containsExactly("nd-0", "nd-other");
  }

  @Test
  void aNodeFoundBeforeThePauseIsOverChangesNothingUntilThen() {
    runAndLose(0);
    machine.know(replaced(0, OTHER, true));
    assertThat(nodes()).containsExactly("nd-0", "nd-1");
    machine.report(1, killed());
    assertThat(machine.life.attempt()).isEqualTo(1);
    pauseOver();
    assertThat(nodes()).containsExactly("nd-other", "nd-1");
  }

  @Test
  void aNewNodeIsWaitedForUntilItHasBooted() {
    runAndLose(1);
    machine.report(0, killed());
    pauseOver();
    machine.know(
        new Fact.LaunchGranted(
            ID, NOW, new LaunchId("la-2"), List.of(), List.of(new Fact.Slot(OTHER, List.of()))));
    assertThat(machine.life.state()).isEqualTo(ClusterState.BOOTING);
    assertThat(machine.life.attempt()).isEqualTo(2);
    join(OTHER);
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
  }

  @Test
  void aNodeThatIsLostBeforeItIsUsedIsReplacedItself() {
    runAndLose(1);
    machine.know(replaced(1, OTHER, true));
    machine.lose(OTHER);
    machine.report(0, killed());
    pauseOver();
    assertThat(machine.life.attempt()).isEqualTo(1);
    machine.know(replaced(1, new NodeId("nd-third"), true));
    assertThat(nodes()).containsExactly("nd-0", "nd-third");
    assertThat(machine.life.tries().counted()).isEqualTo(1);
  }

  @Test
  void theNodeOfAnotherRankThatIsLostMeanwhileIsReplacedToo() {
    runAndLose(1);
    machine.lose(0);
    pauseOver();
    assertThat(machine.life.attempt()).isEqualTo(1);
    machine.know(replaced(1, OTHER, true));
    assertThat(machine.life.attempt()).isEqualTo(1);
    machine.know(replaced(0, new NodeId("nd-third"), true));
    assertThat(machine.life.attempt()).isEqualTo(2);
    assertThat(nodes()).containsExactly("nd-third", "nd-other");
  }

  @Test
  void withoutAnyOtherNodeItGivesAllBackAndWaitsInTheQueue() {
    runAndLose(1);
    Fact.Requeued requeued = new Fact.Requeued(ID, NOW, List.of());
    machine.know(requeued);
    assertThat(machine.commands(Command.Requeue.class)).as("rank 0 still runs").isEmpty();
    machine.report(0, killed());
    machine.know(requeued);
    machine.know(requeued);
    assertThat(machine.commands(Command.Requeue.class)).hasSize(1);
    pauseOver();
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    machine.know(new Fact.Released(ID, NOW));
    assertThat(machine.life.state()).isEqualTo(ClusterState.QUEUED);
    assertThat(machine.life.ranks()).isEmpty();
    machine.place();
    assertThat(machine.life.attempt()).isEqualTo(2);
    machine.run();
    machine.report(0, finish(0));
    machine.report(1, finish(0));
    assertThat(machine.outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void aStopWhileItGivesItsNodesBackEndsIt() {
    runAndLose(1);
    machine.report(0, killed());
    machine.know(new Fact.Requeued(ID, NOW, List.of()));
    machine.know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "enough"));
    assertThat(machine.commands(Command.Exit.class)).hasSize(1);
    machine.know(new Fact.Released(ID, NOW));
    assertThat(machine.life.state()).isEqualTo(ClusterState.ENDED);
  }

  @Test
  void aSpareThatIsLostDisturbsNobody() {
    Fact.Slot spare = new Fact.Slot(OTHER, List.of());
    machine =
        new Machine(
            ClusterSpec.builder("x")
                .nodes(2)
                .spares(1)
                .command("true")
                .restart(RestartPolicy.upTo(1))
                .build());
    machine.place(spare);
    assertThat(machine.life.ranks()).hasSize(2);
    assertThat(machine.life.spares()).containsExactly(new ClusterLife.Spare(spare, true));
    machine.run();
    machine.lose(OTHER);
    assertThat(machine.life.spares()).isEmpty();
    assertThat(machine.life.state()).isEqualTo(ClusterState.RUNNING);
  }

  @Test
  void aUsedSpareIsNoSpareAnyMore() {
    machine =
        new Machine(
            ClusterSpec.builder("x")
                .nodes(2)
                .spares(1)
                .command("true")
                .restart(RestartPolicy.upTo(1))
                .build());
    machine.place(new Fact.Slot(OTHER, List.of()));
    machine.run();
    machine.lose(0);
    machine.know(replaced(0, OTHER, true));
    assertThat(machine.life.spares()).isEmpty();
    machine.report(1, killed());
    pauseOver();
    assertThat(nodes()).containsExactly("nd-other", "nd-1");
  }

  @Test
  void withFewerRanksThoseThatStayAreNumberedAnewInTheNextAttempt() {
    machine =
        new Machine(
            ClusterSpec.builder("x")
                .nodes(2, 3)
                .command("true")
                .restart(RestartPolicy.upTo(1))
                .build());
    machine.place();
    machine.run();
    machine.lose(1);
    machine.know(new Fact.Resized(ID, NOW, List.of(0, 2)));
    machine.report(0, killed());
    machine.report(2, killed());
    assertThat(machine.life.ranks()).as("the attempt that failed had all").hasSize(3);
    pauseOver();
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(nodes()).containsExactly("nd-0", "nd-2");
    assertThat(machine.life.ranks()).extracting(RankLife::rank).containsExactly(0, 1);
  }

  @Test
  void theNodeOfARankThatHasEndedWellIsMissedOnlyWhenItIsNeededAgain() {
    machine.place();
    machine.run();
    machine.report(1, finish(0));
    machine.lose(1);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RUNNING);
    machine.report(0, finish(3));
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    pauseOver();
    assertThat(machine.life.attempt()).isEqualTo(1);
    machine.know(replaced(1, OTHER, true));
    assertThat(nodes()).containsExactly("nd-0", "nd-other");
  }

  @Test
  void anAnnouncedLossHasABudgetOfItsOwn() {
    RestartPolicy policy = RestartPolicy.upTo(0).withBudget(RestartCause.PREEMPTED, 1);
    machine = machine(policy);
    machine.place();
    machine.run();
    machine.loseAnnounced(1);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    machine = machine(policy);
    runAndLose(1);
    assertThat(machine.cause()).isEqualTo(ErrorCode.NODE_LOST);
  }

  @Test
  void aNodeThatIsLostWhileItBootsIsReplacedWhereThePolicyCoversIt() {
    machine.grant();
    machine.lose(1);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    assertThat(machine.life.wanted()).isEqualTo(Wanted.NOTHING);
    pauseOver();
    machine.know(replaced(1, OTHER, true));
    assertThat(machine.life.state()).as("node 0 has not reported").isEqualTo(ClusterState.BOOTING);
    join(new NodeId("nd-0"));
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(machine.commands(Command.Ready.class)).isEmpty();
  }

  @Test
  void aWorkloadThatGetsFurtherHasItsRestartsBack() {
    machine = machine(RestartPolicy.upTo(1).withProgress(2));
    machine.place();
    for (int step = 1; step <= 5; step++) {
      fail(step);
      assertThat(machine.life.state()).as("step %d", step).isEqualTo(ClusterState.PREPARING);
    }
    fail(5);
    assertThat(machine.life.state()).as("no step further once").isEqualTo(ClusterState.PREPARING);
    fail(4);
    assertThat(machine.cause()).isEqualTo(ErrorCode.RANK_FAILED);
    assertThat(machine.life.verdict().orElseThrow().cause().orElseThrow().message())
        .contains("2 attempts in a row got no further than 5");
    assertThat(machine.commands(Command.Exit.class)).hasSize(1);
  }

  @Test
  void aWorkloadThatNeverGetsFurtherStopsLongBeforeItsRestartsAreUsedUp() {
    machine = machine(RestartPolicy.upTo(100).withProgress(3));
    machine.place();
    fail(-1);
    fail(-1);
    assertThat(machine.life.verdict()).isEmpty();
    fail(-1);
    assertThat(machine.life.attempt()).isEqualTo(3);
    assertThat(machine.cause()).isEqualTo(ErrorCode.RANK_FAILED);
  }

  /** An attempt runs and fails, having reached a step where that is not negative. */
  private void fail(long step) {
    machine.run();
    machine.report(1, exit(1));
    machine.report(1, finish(1));
    machine.report(0, step < 0 ? killed() : Machine.killedAt(step));
    if (machine.life.verdict().isEmpty()) {
      pauseOver();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whateverComesInWhateverOrderItNeverRunsWithoutANodeForEachRankAndEndsOnce(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      machine = machine(RestartPolicy.upTo(1 + random.nextInt(3)).withProgress(random.nextInt(3)));
      List<NodeId> known = new ArrayList<>(List.of(new NodeId("nd-0"), new NodeId("nd-1")));
      machine.place();
      for (int step = 0; step < 60; step++) {
        happen(random, known, round * 100 + step);
        check("seed " + seed + " round " + round + " step " + step);
      }
      machine.know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "over"));
      for (int rank = 0; rank < machine.life.ranks().size(); rank++) {
        machine.report(rank, killed());
      }
      machine.know(new Fact.Released(ID, NOW));
      assertThat(machine.life.state())
          .as("seed %d round %d", seed, round)
          .isEqualTo(ClusterState.ENDED);
      assertThat(machine.commands(Command.Exit.class)).hasSize(1);
      assertThat(machine.commands(Command.Release.class)).hasSize(1);
    }
  }

  private void happen(Random random, List<NodeId> known, int number) {
    int rank = random.nextInt(2);
    NodeId fresh = new NodeId("nd-new" + number);
    switch (random.nextInt(10)) {
      case 0 -> machine.lose(known.get(random.nextInt(known.size())));
      case 1 -> {
        if (machine.life.ranks().size() == 2 && machine.life.ranks().get(rank).lacksNode()) {
          known.add(fresh);
          machine.know(replaced(rank, fresh, random.nextBoolean()));
        }
      }
      case 2 -> pauseOver();
      case 3 -> known.forEach(this::join);
      case 4 -> machine.know(new Fact.Requeued(ID, NOW, List.of()));
      case 5 -> {
        if (machine.life.requeuing()) {
          machine.know(new Fact.Released(ID, NOW));
          machine.place();
        }
      }
      case 6 -> machine.report(rank, exit(1));
      case 7 -> machine.report(rank, killed());
      default -> {
        if (!machine.life.ranks().isEmpty()) {
          machine.run();
        }
      }
    }
  }

  private void check(String when) {
    boolean wanted =
        machine.life.wanted() == Wanted.PREPARE
            || machine.life.wanted() == Wanted.JOIN
            || machine.life.wanted() == Wanted.RUN;
    if (wanted && machine.life.state() != ClusterState.RUNNING) {
      assertThat(machine.life.ranks()).as(when).noneMatch(RankLife::lacksNode);
    }
    assertThat(machine.commands(Command.Exit.class).size()).as(when).isLessThanOrEqualTo(1);
  }
}

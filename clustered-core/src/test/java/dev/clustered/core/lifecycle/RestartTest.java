// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static dev.clustered.core.lifecycle.Machine.ID;
import static dev.clustered.core.lifecycle.Machine.NOW;
import static dev.clustered.core.lifecycle.Machine.exit;
import static dev.clustered.core.lifecycle.Machine.finish;
import static dev.clustered.core.lifecycle.Machine.killed;
import static dev.clustered.core.lifecycle.Machine.notStarted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.ClusterLife.Wanted;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the machine makes of failures that a restart policy covers. */
class RestartTest {

  private Machine machine = machine(RestartPolicy.upTo(2));

  private static Machine machine(RestartPolicy policy) {
    return new Machine(ClusterSpec.builder("x").nodes(2).command("true").restart(policy).build());
  }

  /** One rank fails, the other is ended, and the pause passes. */
  private void failAndComeBack(int code) {
    machine.report(1, finish(code));
    machine.report(0, killed());
    machine.know(new Fact.PauseOver(ID, NOW, machine.life.attempt()));
  }

  @Test
  void endsAllRanksAndBeginsAnotherAttemptOnTheSameNodes() {
    machine.place();
    machine.run();
    machine.report(1, exit(3));
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    assertThat(machine.life.wanted()).isEqualTo(Wanted.STOP);
    assertThat(machine.life.verdict()).isEmpty();
    machine.report(0, killed());
    assertThat(machine.commands(Command.WatchPause.class)).isEmpty();
    machine.report(1, finish(3));
    assertThat(machine.life.wanted()).isEqualTo(Wanted.NOTHING);
    assertThat(machine.commands(Command.CloseAttempt.class))
        .containsExactly(new Command.CloseAttempt(1));
    assertThat(machine.commands(Command.WatchPause.class)).hasSize(1);
    machine.know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(machine.life.attempt()).isEqualTo(2);
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(machine.life.port()).isZero();
    assertThat(machine.life.ranks().stream().map(RankLife::node)).isEqualTo(machine.nodes);
    machine.run();
    assertThat(machine.life.port()).isEqualTo(21_002);
    machine.report(0, finish(0));
    machine.report(1, finish(0));
    assertThat(machine.life.verdict().orElseThrow().outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(machine.commands(Command.Ready.class)).hasSize(1);
    assertThat(machine.commands(Command.Exit.class)).hasSize(1);
  }

  @Test
  void failsForGoodWhenNoRestartIsLeft() {
    machine.place();
    for (int attempt = 1; attempt <= 2; attempt++) {
      machine.run();
      failAndComeBack(1);
    }
    machine.run();
    machine.report(1, exit(1));
    assertThat(machine.life.attempt()).isEqualTo(3);
    assertThat(machine.life.state()).isEqualTo(ClusterState.STOPPING);
    assertThat(machine.cause()).isEqualTo(ErrorCode.RANK_FAILED);
  }

  @Test
  void waitsTwiceAsLongEachTimeUpToTheLongestPauseGiveOrTakeAQuarter() {
    machine =
        machine(RestartPolicy.upTo(10).withPause(Duration.ofSeconds(4), Duration.ofSeconds(10)));
    machine.place();
    List<Long> pauses = List.of(4L, 8L, 10L, 10L, 10L);
    for (long seconds : pauses) {
      machine.run();
      failAndComeBack(1);
      Duration pause = machine.commands(Command.WatchPause.class).getLast().pause();
      assertThat(pause)
          .isBetween(Duration.ofMillis(seconds * 750), Duration.ofMillis(seconds * 1_250));
    }
    assertThat(machine.commands(Command.WatchPause.class).stream().map(Command.WatchPause::pause))
        .doesNotHaveDuplicates();
  }

  @Test
  void neverRestartsAfterACodeThatMeansNever() {
    machine = machine(RestartPolicy.upTo(5).withNever(Set.of(93)));
    machine.place();
    machine.run();
    machine.report(1, exit(93));
    assertThat(machine.life.state()).isEqualTo(ClusterState.STOPPING);
  }

  @Test
  void restartsAfterACodeThatMeansAlwaysWithoutCountingIt() {
    machine = machine(RestartPolicy.upTo(1).withAlways(Set.of(75)));
    machine.place();
    for (int attempt = 1; attempt <= 4; attempt++) {
      machine.run();
      failAndComeBack(75);
    }
    machine.run();
    failAndComeBack(1);
    assertThat(machine.life.attempt()).isEqualTo(6);
    machine.run();
    machine.report(0, exit(1));
    assertThat(machine.life.state()).isEqualTo(ClusterState.STOPPING);
  }

  @Test
  void neverTriesAgainWhatCannotPass() {
    machine.place();
    machine.join();
    machine.report(1, notStarted());
    assertThat(machine.cause()).isEqualTo(ErrorCode.START_FAILED);
    machine = machine(RestartPolicy.upTo(2));
    machine.place();
    machine.report(1, new RankReport.Failed(ErrorCode.PREPARE_FAILED, "no volume"));
    assertThat(machine.cause()).isEqualTo(ErrorCode.PREPARE_FAILED);
  }

  @Test
  void aStopDuringThePauseIsTheEnd() {
    machine.place();
    machine.run();
    machine.report(1, finish(1));
    machine.report(0, killed());
    machine.know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "it was stopped"));
    machine.know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(machine.life.state()).isEqualTo(ClusterState.STOPPING);
    assertThat(machine.life.verdict().orElseThrow().outcome()).isEqualTo(Outcome.STOPPED);
    assertThat(machine.commands).endsWith(new Command.Exit(), new Command.Release());
  }

  @Test
  void aStopWhileTheOthersAreEndedWaitsForThem() {
    machine.place();
    machine.run();
    machine.report(1, finish(1));
    machine.know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "it was stopped"));
    assertThat(machine.commands(Command.Exit.class)).isEmpty();
    machine.report(0, killed());
    assertThat(machine.commands(Command.Exit.class)).hasSize(1);
    assertThat(machine.commands(Command.WatchPause.class)).isEmpty();
  }

  @Test
  void aNodeThatIsLostDuringThePauseEndsTheClusterWhoseNodesAreNotReplaced() {
    machine =
        machine(
            RestartPolicy.upTo(2)
                .withBudget(RestartCause.NODE_LOST, 0)
                .withBudget(RestartCause.PREEMPTED, 0));
    machine.place();
    machine.run();
    machine.report(1, finish(1));
    machine.report(0, killed());
    machine.lose(0);
    assertThat(machine.cause()).isEqualTo(ErrorCode.NODE_LOST);
    assertThat(machine.commands).endsWith(new Command.Exit(), new Command.Release());
  }

  @Test
  void aNodeThatIsLostDuringThePauseIsWaitedForWhereNodesAreReplaced() {
    machine.place();
    machine.run();
    machine.report(1, finish(1));
    machine.report(0, killed());
    machine.lose(0);
    machine.know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(machine.life.attempt()).isEqualTo(1);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
  }

  @Test
  void noAttemptBeginsOnANodeThatWasLostAfterItsRankHadSucceeded() {
    machine.place();
    machine.run();
    machine.report(0, finish(0));
    machine.lose(0);
    assertThat(machine.life.verdict()).isEmpty();
    machine.report(1, finish(1));
    machine.know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    assertThat(machine.life.attempt()).isEqualTo(1);
  }

  @Test
  void theReadyTimeoutIsOverOnceItRan() {
    machine.place();
    machine.run();
    failAndComeBack(1);
    machine.know(new Fact.ReadyTimeoutPassed(ID, NOW));
    assertThat(machine.life.verdict()).isEmpty();
  }

  @Test
  void aLateReportOfTheAttemptBeforeChangesNothing() {
    machine.place();
    machine.run();
    failAndComeBack(1);
    ClusterLife before = machine.life;
    machine.report(1, 0, exit(1));
    machine.know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(machine.life).isEqualTo(before);
  }

  @Test
  void tellsWhyAnAttemptFailedAndHowLongThePauseIs() {
    machine.place();
    machine.run();
    failAndComeBack(7);
    ClusterEvent.AttemptFailed told =
        machine.commands(Command.Tell.class).stream()
            .map(Command.Tell::event)
            .filter(ClusterEvent.AttemptFailed.class::isInstance)
            .map(ClusterEvent.AttemptFailed.class::cast)
            .toList()
            .getFirst();
    assertThat(told.attempt()).isEqualTo(1);
    assertThat(told.cause().message()).contains("rank 1", "exit code 7", "nd-1");
    assertThat(told.pause())
        .isEqualTo(machine.commands(Command.WatchPause.class).getFirst().pause());
  }

  /** Reports may be repeated, late and out of order: each attempt must come to its end. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void comesToTheNextAttemptWhateverTheOrderOfReports(long seed) {
    machine.place();
    machine.join();
    List<Runnable> reports = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      int own = rank;
      reports.add(() -> machine.report(1, own, new RankReport.Running(7)));
      reports.add(() -> machine.report(1, own, exit(own)));
      reports.add(() -> machine.report(1, own, finish(own)));
      reports.add(() -> machine.report(1, own, finish(own)));
    }
    Collections.shuffle(reports, new Random(seed));
    reports.forEach(Runnable::run);
    assertThat(machine.commands(Command.WatchPause.class)).as("seed %d", seed).hasSize(1);
    machine.know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(machine.life.attempt()).as("seed %d", seed).isEqualTo(2);
  }
}

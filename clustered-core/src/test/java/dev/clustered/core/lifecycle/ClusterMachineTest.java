// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static dev.clustered.core.lifecycle.Machine.ID;
import static dev.clustered.core.lifecycle.Machine.NOW;
import static dev.clustered.core.lifecycle.Machine.exit;
import static dev.clustered.core.lifecycle.Machine.finish;
import static dev.clustered.core.lifecycle.Machine.notStarted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.ClusterLife.Wanted;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.RankExit.EndedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterMachineTest {

  private final Machine machine =
      new Machine(ClusterSpec.builder("x").nodes(2).command("true").build());

  private void join() {
    machine.grant();
    machine.boot();
    machine.join();
  }

  private void run() {
    machine.grant();
    machine.boot();
    machine.run();
  }

  @Test
  void goesThroughEveryStateToASuccess() {
    run();
    assertThat(machine.life.state()).isEqualTo(ClusterState.RUNNING);
    assertThat(machine.commands).contains(new Command.Ready());
    machine.report(0, finish(0));
    machine.report(1, finish(0));
    assertThat(machine.life.verdict().orElseThrow().outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(machine.commands).endsWith(new Command.Exit(), new Command.Release());
    machine.know(new Fact.Released(ID, NOW));
    assertThat(machine.life.state()).isEqualTo(ClusterState.ENDED);
  }

  @Test
  void preparesAtOnceOnNodesOfThePool() {
    machine.place();
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(machine.life.wanted()).isEqualTo(Wanted.PREPARE);
  }

  @Test
  void opensTheBarrierOnlyWhenEveryRankHasJoined() {
    machine.grant();
    machine.boot();
    machine.report(0, new RankReport.Prepared(21_000));
    assertThat(machine.life.wanted()).isEqualTo(Wanted.PREPARE);
    machine.report(1, new RankReport.Prepared(0));
    machine.report(1, new RankReport.Joined(2, 1));
    assertThat(machine.life.wanted()).isEqualTo(Wanted.JOIN);
    machine.report(0, new RankReport.Joined(2, 0));
    assertThat(machine.life.wanted()).isEqualTo(Wanted.RUN);
    assertThat(machine.life.port()).isEqualTo(21_000);
  }

  @Test
  void refusesToStartWhenARankSeesAnotherSize() {
    machine.grant();
    machine.boot();
    machine.report(0, new RankReport.Prepared(21_000));
    machine.report(1, new RankReport.Prepared(0));
    machine.report(1, new RankReport.Joined(1, 0));
    assertThat(machine.cause()).isEqualTo(ErrorCode.JOIN_MISMATCH);
    assertThat(machine.life.wanted()).isEqualTo(Wanted.STOP);
  }

  @Test
  void theFirstFailureStaysTheCauseWhateverFailsAfterIt() {
    run();
    machine.report(1, exit(3));
    machine.report(0, exit(9));
    assertThat(machine.life.verdict().orElseThrow().cause().orElseThrow().rank()).hasValue(1);
    assertThat(machine.life.ranks().get(0).by()).isEqualTo(EndedBy.ITSELF);
  }

  @Test
  void aRankThatFailsBeforeTheOthersHaveStartedStillCountsAsRunning() {
    join();
    machine.report(1, exit(1));
    assertThat(machine.commands).contains(new Command.Ready());
    assertThat(machine.cause()).isEqualTo(ErrorCode.RANK_FAILED);
  }

  @Test
  void aRankThatCannotStartNeverCountsAsRunning() {
    join();
    machine.report(1, notStarted());
    assertThat(machine.commands).doesNotContain(new Command.Ready());
    assertThat(machine.cause()).isEqualTo(ErrorCode.START_FAILED);
  }

  @Test
  void aLostNodeEndsTheClusterWithoutWaitingForItsRank() {
    run();
    machine.lose(1);
    assertThat(machine.cause()).isEqualTo(ErrorCode.NODE_LOST);
    assertThat(machine.life.finished()).isFalse();
    machine.report(0, finish(143));
    assertThat(machine.life.finished()).isTrue();
  }

  @Test
  void aCancelBeforeThePreparationLeavesNothingToEnd() {
    machine.grant();
    machine.know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "cancelled"));
    assertThat(machine.life.wanted()).isEqualTo(Wanted.NOTHING);
    assertThat(machine.commands).endsWith(new Command.Exit(), new Command.Release());
  }

  @Test
  void givesUpAfterARepeatedFailureOfTheBackendButNeverForWantOfCapacity() {
    for (int i = 0; i < 10; i++) {
      machine.know(failed(ErrorCode.NO_CAPACITY));
    }
    assertThat(machine.life.verdict()).isEmpty();
    for (int i = 0; i < ClusterMachine.MOST_FAILED_LAUNCHES; i++) {
      machine.know(failed(ErrorCode.LAUNCH_FAILED));
    }
    assertThat(machine.cause()).isEqualTo(ErrorCode.LAUNCH_FAILED);
  }

  private static Fact.LaunchFailed failed(ErrorCode code) {
    return new Fact.LaunchFailed(ID, NOW, new dev.clustered.model.LaunchId("la-1"), code, "no");
  }

  @Test
  void aReportOfAnotherAttemptChangesNothing() {
    run();
    ClusterLife before = machine.life;
    machine.know(new Fact.RankReported(ID, NOW, 2, 0, exit(1)));
    assertThat(machine.life).isEqualTo(before);
  }

  /** Reports may be repeated, late and out of order: the end must be reached all the same. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void reachesOneEndWhateverTheOrderOfReports(long seed) {
    join();
    List<Runnable> reports = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      int own = rank;
      int code = rank;
      reports.add(() -> machine.report(own, new RankReport.Running(7)));
      reports.add(() -> machine.report(own, exit(code)));
      reports.add(() -> machine.report(own, finish(code)));
      reports.add(() -> machine.report(own, finish(code)));
    }
    Collections.shuffle(reports, new Random(seed));
    reports.forEach(Runnable::run);
    assertThat(machine.life.finished()).as("seed %d", seed).isTrue();
    assertThat(machine.cause()).isEqualTo(ErrorCode.RANK_FAILED);
    assertThat(machine.commands.stream().filter(Command.Exit.class::isInstance)).hasSize(1);
    assertThat(machine.commands.stream().filter(Command.Ready.class::isInstance)).hasSize(1);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.ClusterLife.Wanted;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterMachineTest {

  private static final ClusterId ID = new ClusterId("cl-1");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final List<NodeId> NODES = List.of(new NodeId("nd-a"), new NodeId("nd-b"));

  private final List<Command> commands = new ArrayList<>();
  private ClusterLife life = submitted();

  private ClusterLife submitted() {
    ClusterSpec spec = ClusterSpec.builder("x").nodes(2).command("true").build();
    return kept(
        ClusterMachine.submit(
            new Fact.Submitted(
                ID, NOW, spec, Optional.empty(), Optional.empty(), Optional.empty())));
  }

  private ClusterLife kept(Transition transition) {
    commands.addAll(transition.commands());
    return transition.life();
  }

  private void know(Fact.OfCluster fact) {
    life = kept(ClusterMachine.apply(life, fact));
  }

  private void report(int rank, RankReport report) {
    know(new Fact.RankReported(ID, NOW, 1, rank, report));
  }

  private static List<Fact.Slot> slots() {
    return NODES.stream().map(node -> new Fact.Slot(node, List.of())).toList();
  }

  private void grant() {
    know(new Fact.LaunchGranted(ID, NOW, new LaunchId("la-1"), List.of(), slots()));
  }

  private void boot() {
    for (NodeId node : NODES) {
      life = kept(ClusterMachine.nodeJoined(life, node, NOW));
    }
  }

  private void join() {
    grant();
    boot();
    report(0, new RankReport.Prepared(21_000));
    report(1, new RankReport.Prepared(0));
    report(0, new RankReport.Joined(2, 0));
    report(1, new RankReport.Joined(2, 1));
  }

  private void run() {
    join();
    report(0, new RankReport.Running(1));
    report(1, new RankReport.Running(2));
  }

  private static RankReport.Exited exit(int code) {
    return new RankReport.Exited(new ProcessEnd.Code(code), NOW, false);
  }

  private static RankReport.Finished finish(int code) {
    return new RankReport.Finished(
        Optional.of(new ProcessEnd.Code(code)), Optional.of(NOW), false, Optional.empty());
  }

  @Test
  void goesThroughEveryStateToASuccess() {
    run();
    assertThat(life.state()).isEqualTo(ClusterState.RUNNING);
    assertThat(commands).contains(new Command.Ready());
    report(0, finish(0));
    report(1, finish(0));
    assertThat(life.verdict().orElseThrow().outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(commands).endsWith(new Command.Exit(), new Command.Release());
    know(new Fact.Released(ID, NOW));
    assertThat(life.state()).isEqualTo(ClusterState.ENDED);
  }

  @Test
  void preparesAtOnceOnNodesOfThePool() {
    know(new Fact.Placed(ID, NOW, slots()));
    assertThat(life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(life.wanted()).isEqualTo(Wanted.PREPARE);
  }

  @Test
  void opensTheBarrierOnlyWhenEveryRankHasJoined() {
    grant();
    boot();
    report(0, new RankReport.Prepared(21_000));
    assertThat(life.wanted()).isEqualTo(Wanted.PREPARE);
    report(1, new RankReport.Prepared(0));
    report(1, new RankReport.Joined(2, 1));
    assertThat(life.wanted()).isEqualTo(Wanted.JOIN);
    report(0, new RankReport.Joined(2, 0));
    assertThat(life.wanted()).isEqualTo(Wanted.RUN);
    assertThat(life.port()).isEqualTo(21_000);
  }

  @Test
  void refusesToStartWhenARankSeesAnotherSize() {
    grant();
    boot();
    report(0, new RankReport.Prepared(21_000));
    report(1, new RankReport.Prepared(0));
    report(1, new RankReport.Joined(1, 0));
    assertThat(cause()).isEqualTo(ErrorCode.JOIN_MISMATCH);
    assertThat(life.wanted()).isEqualTo(Wanted.STOP);
  }

  @Test
  void theFirstFailureStaysTheCauseWhateverFailsAfterIt() {
    run();
    report(1, exit(3));
    report(0, exit(9));
    assertThat(life.verdict().orElseThrow().cause().orElseThrow().rank()).hasValue(1);
    assertThat(life.ranks().get(0).by()).isEqualTo(EndedBy.ITSELF);
  }

  @Test
  void aRankThatFailsBeforeTheOthersHaveStartedStillCountsAsRunning() {
    join();
    report(1, exit(1));
    assertThat(commands).contains(new Command.Ready());
    assertThat(cause()).isEqualTo(ErrorCode.RANK_FAILED);
  }

  @Test
  void aRankThatCannotStartNeverCountsAsRunning() {
    join();
    report(1, new RankReport.Exited(new ProcessEnd.NotStarted(127, "none"), NOW, false));
    assertThat(commands).doesNotContain(new Command.Ready());
    assertThat(cause()).isEqualTo(ErrorCode.START_FAILED);
  }

  @Test
  void aLostNodeEndsTheClusterWithoutWaitingForItsRank() {
    run();
    life = kept(ClusterMachine.nodeLost(life, NODES.get(1), "silent", NOW));
    assertThat(cause()).isEqualTo(ErrorCode.NODE_LOST);
    assertThat(life.finished()).isFalse();
    report(0, finish(143));
    assertThat(life.finished()).isTrue();
  }

  @Test
  void aCancelBeforeThePreparationLeavesNothingToEnd() {
    grant();
    know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "cancelled"));
    assertThat(life.wanted()).isEqualTo(Wanted.NOTHING);
    assertThat(commands).endsWith(new Command.Exit(), new Command.Release());
  }

  @Test
  void givesUpAfterARepeatedFailureOfTheBackendButNeverForWantOfCapacity() {
    for (int i = 0; i < 10; i++) {
      know(failed(ErrorCode.NO_CAPACITY));
    }
    assertThat(life.verdict()).isEmpty();
    for (int i = 0; i < ClusterMachine.MOST_FAILED_LAUNCHES; i++) {
      know(failed(ErrorCode.LAUNCH_FAILED));
    }
    assertThat(cause()).isEqualTo(ErrorCode.LAUNCH_FAILED);
  }

  private static Fact.LaunchFailed failed(ErrorCode code) {
    return new Fact.LaunchFailed(ID, NOW, new dev.clustered.model.LaunchId("la-1"), code, "no");
  }

  @Test
  void aReportOfAnotherAttemptChangesNothing() {
    run();
    ClusterLife before = life;
    know(new Fact.RankReported(ID, NOW, 2, 0, exit(1)));
    assertThat(life).isEqualTo(before);
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
      reports.add(() -> report(own, new RankReport.Running(7)));
      reports.add(() -> report(own, exit(code)));
      reports.add(() -> report(own, finish(code)));
      reports.add(() -> report(own, finish(code)));
    }
    Collections.shuffle(reports, new Random(seed));
    reports.forEach(Runnable::run);
    assertThat(life.finished()).as("seed %d", seed).isTrue();
    assertThat(cause()).isEqualTo(ErrorCode.RANK_FAILED);
    assertThat(commands.stream().filter(Command.Exit.class::isInstance)).hasSize(1);
    assertThat(commands.stream().filter(Command.Ready.class::isInstance)).hasSize(1);
  }

  private ErrorCode cause() {
    return life.verdict().orElseThrow().cause().orElseThrow().code();
  }
}

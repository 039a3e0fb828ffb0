// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.ClusterLife.Wanted;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RestartPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the machine makes of failures that a restart policy covers. */
class RestartTest {

  private static final ClusterId ID = new ClusterId("cl-1");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final List<NodeId> NODES = List.of(new NodeId("nd-a"), new NodeId("nd-b"));

  private final List<Command> commands = new ArrayList<>();
  private ClusterLife life = submitted(RestartPolicy.upTo(2));

  private ClusterLife submitted(RestartPolicy policy) {
    ClusterSpec spec = ClusterSpec.builder("x").nodes(2).command("true").restart(policy).build();
    commands.clear();
    return kept(
        ClusterMachine.submit(
            new Fact.Submitted(
                ID,
                NOW,
                spec,
                Optional.empty(),
                Optional.empty(),
                Optional.of(Duration.ofMinutes(1)))));
  }

  private ClusterLife kept(Transition transition) {
    commands.addAll(transition.commands());
    return transition.life();
  }

  private void know(Fact.OfCluster fact) {
    life = kept(ClusterMachine.apply(life, fact));
  }

  private void report(int rank, RankReport report) {
    know(new Fact.RankReported(ID, NOW, life.attempt(), rank, report));
  }

  private void place() {
    know(
        new Fact.Placed(
            ID, NOW, NODES.stream().map(node -> new Fact.Slot(node, List.of())).toList()));
  }

  private void join() {
    report(0, new RankReport.Prepared(21_000 + life.attempt()));
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

  private static RankReport.Finished killed() {
    return new RankReport.Finished(
        Optional.of(new ProcessEnd.Signal(15)), Optional.of(NOW), true, Optional.empty());
  }

  /** One rank fails, the other is ended, and the pause passes. */
  private void failAndComeBack(int code) {
    report(1, finish(code));
    report(0, killed());
    know(new Fact.PauseOver(ID, NOW, life.attempt()));
  }

  private <T> List<T> commands(Class<T> kind) {
    return commands.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private ErrorCode cause() {
    return life.verdict().orElseThrow().cause().orElseThrow().code();
  }

  @Test
  void endsAllRanksAndBeginsAnotherAttemptOnTheSameNodes() {
    place();
    run();
    report(1, exit(3));
    assertThat(life.state()).isEqualTo(ClusterState.RESTARTING);
    assertThat(life.wanted()).isEqualTo(Wanted.STOP);
    assertThat(life.verdict()).isEmpty();
    report(0, killed());
    assertThat(commands(Command.WatchPause.class)).isEmpty();
    report(1, finish(3));
    assertThat(life.wanted()).isEqualTo(Wanted.NOTHING);
    assertThat(commands(Command.CloseAttempt.class)).containsExactly(new Command.CloseAttempt(1));
    assertThat(commands(Command.WatchPause.class)).hasSize(1);
    know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(life.attempt()).isEqualTo(2);
    assertThat(life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(life.port()).isZero();
    assertThat(life.ranks().stream().map(RankLife::node)).isEqualTo(NODES);
    run();
    assertThat(life.port()).isEqualTo(21_002);
    report(0, finish(0));
    report(1, finish(0));
    assertThat(life.verdict().orElseThrow().outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(commands(Command.Ready.class)).hasSize(1);
    assertThat(commands(Command.Exit.class)).hasSize(1);
  }

  @Test
  void failsForGoodWhenNoRestartIsLeft() {
    place();
    for (int attempt = 1; attempt <= 2; attempt++) {
      run();
      failAndComeBack(1);
    }
    run();
    report(1, exit(1));
    assertThat(life.attempt()).isEqualTo(3);
    assertThat(life.state()).isEqualTo(ClusterState.STOPPING);
    assertThat(cause()).isEqualTo(ErrorCode.RANK_FAILED);
  }

  @Test
  void waitsTwiceAsLongEachTimeUpToTheLongestPauseGiveOrTakeAQuarter() {
    life =
        submitted(RestartPolicy.upTo(10).withPause(Duration.ofSeconds(4), Duration.ofSeconds(10)));
    place();
    List<Long> pauses = List.of(4L, 8L, 10L, 10L, 10L);
    for (long seconds : pauses) {
      run();
      failAndComeBack(1);
      Duration pause = commands(Command.WatchPause.class).getLast().pause();
      assertThat(pause)
          .isBetween(Duration.ofMillis(seconds * 750), Duration.ofMillis(seconds * 1_250));
    }
    assertThat(commands(Command.WatchPause.class).stream().map(Command.WatchPause::pause))
        .doesNotHaveDuplicates();
  }

  @Test
  void neverRestartsAfterACodeThatMeansNever() {
    life = submitted(RestartPolicy.upTo(5).withNever(Set.of(93)));
    place();
    run();
    report(1, exit(93));
    assertThat(life.state()).isEqualTo(ClusterState.STOPPING);
  }

  @Test
  void restartsAfterACodeThatMeansAlwaysWithoutCountingIt() {
    life = submitted(RestartPolicy.upTo(1).withAlways(Set.of(75)));
    place();
    for (int attempt = 1; attempt <= 4; attempt++) {
      run();
      failAndComeBack(75);
    }
    run();
    failAndComeBack(1);
    assertThat(life.attempt()).isEqualTo(6);
    run();
    report(0, exit(1));
    assertThat(life.state()).isEqualTo(ClusterState.STOPPING);
  }

  @Test
  void neverTriesAgainWhatCannotPass() {
    place();
    join();
    report(1, new RankReport.Exited(new ProcessEnd.NotStarted(127, "none"), NOW, false));
    assertThat(cause()).isEqualTo(ErrorCode.START_FAILED);
    life = submitted(RestartPolicy.upTo(2));
    place();
    report(1, new RankReport.Failed(ErrorCode.PREPARE_FAILED, "no volume"));
    assertThat(cause()).isEqualTo(ErrorCode.PREPARE_FAILED);
  }

  @Test
  void aStopDuringThePauseIsTheEnd() {
    place();
    run();
    report(1, finish(1));
    report(0, killed());
    know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "it was stopped"));
    know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(life.state()).isEqualTo(ClusterState.STOPPING);
    assertThat(life.verdict().orElseThrow().outcome()).isEqualTo(Outcome.STOPPED);
    assertThat(commands).endsWith(new Command.Exit(), new Command.Release());
  }

  @Test
  void aStopWhileTheOthersAreEndedWaitsForThem() {
    place();
    run();
    report(1, finish(1));
    know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "it was stopped"));
    assertThat(commands(Command.Exit.class)).isEmpty();
    report(0, killed());
    assertThat(commands(Command.Exit.class)).hasSize(1);
    assertThat(commands(Command.WatchPause.class)).isEmpty();
  }

  @Test
  void aNodeThatIsLostDuringThePauseEndsTheCluster() {
    place();
    run();
    report(1, finish(1));
    report(0, killed());
    life = kept(ClusterMachine.nodeLost(life, NODES.get(0), "silent", NOW));
    assertThat(cause()).isEqualTo(ErrorCode.NODE_LOST);
    assertThat(commands).endsWith(new Command.Exit(), new Command.Release());
  }

  @Test
  void noAttemptBeginsOnANodeThatWasLostAfterItsRankHadSucceeded() {
    place();
    run();
    report(0, finish(0));
    life = kept(ClusterMachine.nodeLost(life, NODES.get(0), "silent", NOW));
    assertThat(life.verdict()).isEmpty();
    report(1, exit(1));
    assertThat(life.state()).isEqualTo(ClusterState.STOPPING);
    assertThat(cause()).isEqualTo(ErrorCode.RANK_FAILED);
  }

  @Test
  void theReadyTimeoutIsOverOnceItRan() {
    place();
    run();
    failAndComeBack(1);
    know(new Fact.ReadyTimeoutPassed(ID, NOW));
    assertThat(life.verdict()).isEmpty();
  }

  @Test
  void aLateReportOfTheAttemptBeforeChangesNothing() {
    place();
    run();
    failAndComeBack(1);
    ClusterLife before = life;
    know(new Fact.RankReported(ID, NOW, 1, 0, exit(1)));
    know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(life).isEqualTo(before);
  }

  @Test
  void tellsWhyAnAttemptFailedAndHowLongThePauseIs() {
    place();
    run();
    failAndComeBack(7);
    ClusterEvent.AttemptFailed told =
        commands(Command.Tell.class).stream()
            .map(Command.Tell::event)
            .filter(ClusterEvent.AttemptFailed.class::isInstance)
            .map(ClusterEvent.AttemptFailed.class::cast)
            .toList()
            .getFirst();
    assertThat(told.attempt()).isEqualTo(1);
    assertThat(told.cause().message()).contains("rank 1", "exit code 7", "nd-b");
    assertThat(told.pause()).isEqualTo(commands(Command.WatchPause.class).getFirst().pause());
  }

  /** Reports may be repeated, late and out of order: each attempt must come to its end. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void comesToTheNextAttemptWhateverTheOrderOfReports(long seed) {
    place();
    join();
    List<Runnable> reports = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      int own = rank;
      reports.add(() -> know(new Fact.RankReported(ID, NOW, 1, own, new RankReport.Running(7))));
      reports.add(() -> know(new Fact.RankReported(ID, NOW, 1, own, exit(own))));
      reports.add(() -> know(new Fact.RankReported(ID, NOW, 1, own, finish(own))));
      reports.add(() -> know(new Fact.RankReported(ID, NOW, 1, own, finish(own))));
    }
    Collections.shuffle(reports, new Random(seed));
    reports.forEach(Runnable::run);
    assertThat(commands(Command.WatchPause.class)).as("seed %d", seed).hasSize(1);
    know(new Fact.PauseOver(ID, NOW, 1));
    assertThat(life.attempt()).as("seed %d", seed).isEqualTo(2);
  }
}

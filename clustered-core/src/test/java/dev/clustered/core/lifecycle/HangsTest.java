// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.Cause;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Role;
import dev.clustered.model.SuccessPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whether a workload hangs, and which rank is to blame, from what the ranks do not do. */
class HangsTest {

  private static final HangPolicy POLICY =
      HangPolicy.silentFor(Duration.ofSeconds(10)).withHeartbeat(Duration.ofSeconds(60));

  private static final Optional<String> NO_REASON = Optional.empty();
  private static final Duration QUIET = Duration.ofSeconds(11);

  private static final RankReport.Still ACTIVE = still(0, false, 0);
  private static final RankReport.Still SPINS = still(11, false, 0);
  private static final RankReport.Still SLEEPS = still(11, true, 0);
  private static final RankReport.Still SLEEPS_LONGER = still(12, true, 0);
  private static final RankReport.Still PRINTS = still(0, true, 0);
  private static final RankReport.Still LATE = still(61, false, 61);
  private static final RankReport.Still LATER = still(61, false, 62);
  private static final RankReport.Still LATE_ASLEEP = still(61, true, 61);

  private static RankReport.Still still(int quiet, boolean idle, int late) {
    Optional<Duration> little = Optional.of(Duration.ofMillis(20));
    Optional<Duration> much = Optional.of(Duration.ofSeconds(9));
    return new RankReport.Still(
        seconds(quiet),
        idle ? little : Optional.empty(),
        seconds(late),
        idle ? Optional.empty() : much,
        Optional.empty());
  }

  private static RankReport.Still busy(RankReport.Still still, String... gpus) {
    return with(still, new RankReport.Gpus(List.of(gpus), List.of(), Duration.ZERO, NO_REASON));
  }

  private static RankReport.Still idle(RankReport.Still still, String... gpus) {
    return with(still, new RankReport.Gpus(List.of(), List.of(gpus), QUIET, NO_REASON));
  }

  private static RankReport.Still unseen(RankReport.Still still, String why) {
    return with(still, new RankReport.Gpus(List.of(), List.of(), Duration.ZERO, Optional.of(why)));
  }

  private static RankReport.Still with(RankReport.Still still, RankReport.Gpus gpus) {
    return new RankReport.Still(
        still.quiet(), still.idle(), still.late(), still.computed(), Optional.of(gpus));
  }

  private static Optional<Duration> seconds(int count) {
    return count == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(count));
  }

  private static Machine running(int ranks, ClusterSpec.Builder spec) {
    Machine machine = new Machine(spec.nodes(ranks).build());
    machine.place();
    machine.run();
    return machine;
  }

  private static ClusterSpec.Builder spec() {
    return ClusterSpec.builder("hangs").command("true").hang(POLICY);
  }

  static Stream<Arguments> cases() {
    return Stream.of(
        Arguments.of("all sleep: the first", List.of(SLEEPS, SLEEPS, SLEEPS), 0),
        Arguments.of("silent longest", List.of(SLEEPS, SLEEPS_LONGER, SLEEPS), 1),
        Arguments.of("one sleeps while the others spin", List.of(SPINS, SPINS, SLEEPS), 2),
        Arguments.of("all are silent and compute", List.of(SPINS, SPINS, SPINS), -1),
        Arguments.of("one prints", List.of(SLEEPS, PRINTS, SLEEPS), -1),
        Arguments.of("one is active", List.of(SLEEPS, ACTIVE, SLEEPS), -1),
        Arguments.of("a heartbeat stopped", List.of(ACTIVE, LATE, ACTIVE), 1),
        Arguments.of("the oldest heartbeat", List.of(LATE, LATER, LATE), 1),
        Arguments.of("late and without processor time", List.of(LATE, LATER, LATE_ASLEEP), 2),
        Arguments.of("late before merely asleep", List.of(SLEEPS, LATE, SPINS), 1),
        Arguments.of("busy GPUs prove nothing", List.of(busy(SLEEPS, "0"), busy(SLEEPS, "0")), 0),
        Arguments.of(
            "an idle GPU among busy ones",
            List.of(busy(SLEEPS, "0"), idle(SLEEPS, "0"), busy(SLEEPS, "0")),
            1),
        Arguments.of(
            "asleep with an idle GPU before asleep alone", List.of(SLEEPS, idle(SLEEPS, "0")), 1),
        Arguments.of("asleep before one that has arrived", List.of(busy(SLEEPS, "0"), SLEEPS), 1),
        Arguments.of(
            "the others have arrived, and it computes something else",
            List.of(busy(SLEEPS, "0"), idle(SPINS, "0"), busy(SPINS, "0")),
            1),
        Arguments.of(
            "asleep before one whose GPU is idle while it computes",
            List.of(busy(SLEEPS, "0"), idle(SPINS, "0"), SLEEPS),
            2),
        Arguments.of(
            "all compute, whatever their GPUs do",
            List.of(busy(SPINS, "0"), idle(SPINS, "0"), busy(SPINS, "0")),
            -1),
        Arguments.of("idle GPUs and a line now and then", List.of(idle(PRINTS, "0"), SLEEPS), -1),
        Arguments.of("GPUs that cannot be seen", List.of(SPINS, unseen(SLEEPS, "no driver")), 1));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void isJudgedOverAllRanks(String name, List<RankReport.Still> reports, int culprit) {
    Machine machine = running(reports.size(), spec());
    ClusterLife life = machine.life;
    for (int rank = 0; rank < reports.size(); rank++) {
      RankLife.Still told = new RankLife.Still(reports.get(rank), Machine.NOW);
      life = life.withRank(rank, r -> r.withStill(told));
    }
    Optional<Cause> cause = Hangs.judge(life, Machine.NOW.plusSeconds(1));
    if (culprit < 0) {
      assertThat(cause).isEmpty();
      return;
    }
    assertThat(cause.orElseThrow().code()).isEqualTo(ErrorCode.HUNG);
    assertThat(cause.orElseThrow().rank()).isEqualTo(OptionalInt.of(culprit));
    assertThat(cause.orElseThrow().evidence()).hasSize(reports.size());
    assertThat(cause.orElseThrow().evidence().getFirst()).startsWith("rank " + culprit + " on");
  }

  @Test
  void theVerdictHasTheNumbersOfEveryRank() {
    Machine machine = running(2, spec());
    machine.report(0, SPINS);
    assertThat(machine.life.verdict()).isEmpty();
    machine.report(1, SLEEPS);
    assertThat(machine.outcome()).isEqualTo(Outcome.FAILED);
    Cause cause = machine.life.verdict().orElseThrow().cause().orElseThrow();
    assertThat(cause.code()).isEqualTo(ErrorCode.HUNG);
    assertThat(cause.message()).contains("10.00 s", "1 of 2", "rank 1");
    assertThat(cause.evidence())
        .first()
        .asString()
        .contains("rank 1 on node nd-1", "nothing for 11.00 s", "0.02 s of processor time");
  }

  @Test
  void ofAThousandRanksTheEvidenceIsADozenSentences() {
    Machine machine = running(1_000, spec());
    for (int rank = 0; rank < 1_000; rank++) {
      machine.report(rank, rank == 700 ? SLEEPS : SPINS);
    }
    Cause cause = machine.life.verdict().orElseThrow().cause().orElseThrow();
    assertThat(cause.rank()).hasValue(700);
    assertThat(cause.evidence()).hasSize(11).contains("990 more ranks run");
  }

  @Test
  void theEvidenceSaysWhatTheGpusDid() {
    Machine machine = running(3, spec());
    machine.report(0, busy(SPINS, "0", "1", "2", "3"));
    machine.report(1, unseen(SPINS, "there is no libnvidia-ml.so.1"));
    machine.report(2, idle(SLEEPS, "0", "2"));
    Cause cause = machine.life.verdict().orElseThrow().cause().orElseThrow();
    assertThat(cause.rank()).hasValue(2);
    assertThat(cause.evidence().get(0)).contains("GPU 0 2 idle for 11.00 s");
    assertThat(cause.evidence().get(1))
        .contains("computed 9.00 s", "GPU 0..3 busy, as in a collective that waits");
    assertThat(cause.evidence().get(2))
        .contains("GPUs cannot be seen: there is no libnvidia-ml.so.1");
  }

  @Test
  void theMessageSaysWhomTheOthersWaitFor() {
    Machine machine = running(2, spec());
    machine.report(0, busy(SLEEPS, "0"));
    machine.report(1, idle(SPINS, "0"));
    assertThat(machine.life.verdict().orElseThrow().cause().orElseThrow().message())
        .endsWith("while GPUs of rank 1 were idle and theirs were busy");
  }

  @Test
  void aProcessorThatCannotBeSeenIsNotOneThatComputed() {
    Machine machine = running(2, spec());
    machine.report(0, SLEEPS);
    machine.report(
        1,
        new RankReport.Still(
            SPINS.quiet(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()));
    Cause cause = machine.life.verdict().orElseThrow().cause().orElseThrow();
    assertThat(cause.evidence().get(1))
        .contains("its processor time cannot be seen")
        .doesNotContain("computed", "GPU");
  }

  @Test
  void theOnlyGpuOfAClusterComputesWhenItIsBusy() {
    Machine machine = new Machine(spec().nodes(2).build());
    machine.placeWithGpus(List.of(3), List.of());
    machine.run();
    machine.report(0, busy(SLEEPS, "3"));
    machine.report(1, SPINS);
    assertThat(machine.life.verdict()).isEmpty();
    machine.report(0, idle(SLEEPS, "3"));
    assertThat(machine.cause()).isEqualTo(ErrorCode.HUNG);
  }

  @Test
  void gpusThatNobodyLookedAtAreNamed() {
    Machine machine = new Machine(spec().nodes(1).build());
    machine.placeWithGpus(List.of(0));
    machine.run();
    machine.report(0, SLEEPS);
    Cause cause = machine.life.verdict().orElseThrow().cause().orElseThrow();
    assertThat(cause.evidence().getFirst()).contains("what its GPUs did was not looked at");
  }

  /** Rank 0 serves, 1 and 2 work. */
  private static Machine withServer() {
    Machine machine =
        new Machine(
            spec().role(Role.of("server", 1).untilOthersEnd()).role(Role.of("worker", 2)).build());
    machine.place();
    machine.run();
    return machine;
  }

  @Test
  void aServerThatOnlyWaitsDoesNotHang() {
    Machine machine = withServer();
    machine.report(0, SLEEPS_LONGER);
    machine.report(1, SPINS);
    machine.report(2, SPINS);
    assertThat(machine.life.verdict()).isEmpty();
  }

  @Test
  void aServerThatWritesDoesNotHideThatAllOthersHang() {
    Machine machine = withServer();
    machine.report(0, PRINTS);
    machine.report(1, SPINS);
    assertThat(machine.life.verdict()).isEmpty();
    machine.report(2, SLEEPS);
    Cause cause = machine.life.verdict().orElseThrow().cause().orElseThrow();
    assertThat(cause.rank()).hasValue(2);
    assertThat(cause.message())
        .startsWith("no rank that is to end by itself wrote")
        .contains("1 of 2");
    assertThat(cause.evidence()).anyMatch(line -> line.startsWith("rank 0 on node"));
  }

  @Test
  void aServersHeartbeatIsLookedAtOnceItGaveOne() {
    Machine machine = withServer();
    machine.report(0, LATE);
    assertThat(machine.life.verdict().orElseThrow().cause().orElseThrow().rank()).hasValue(0);
  }

  @Test
  void aRankThatGetsOnAgainTakesItBack() {
    Machine machine = running(2, spec());
    machine.report(0, SLEEPS);
    machine.report(0, ACTIVE);
    machine.report(1, SLEEPS);
    assertThat(machine.life.verdict()).isEmpty();
  }

  @Test
  void theOthersMayEndAMomentAfterOneThatEnded() {
    Machine machine = running(3, spec());
    machine.report(1, SLEEPS);
    machine.report(2, SLEEPS);
    machine.exits(0, 0);
    assertThat(machine.life.verdict()).isEmpty();
    machine.exits(1, 0);
    assertThat(machine.commands(Command.WatchSilence.class))
        .containsExactly(new Command.WatchSilence(1, Duration.ofSeconds(10)));
    machine.know(new Fact.SilencePassed(Machine.ID, Machine.NOW.plusSeconds(9), 1));
    assertThat(machine.commands(Command.WatchSilence.class))
        .last()
        .isEqualTo(new Command.WatchSilence(1, Duration.ofSeconds(1)));
    assertThat(machine.life.verdict()).isEmpty();
    machine.know(new Fact.SilencePassed(Machine.ID, Machine.NOW.plusSeconds(10), 1));
    assertThat(machine.cause()).isEqualTo(ErrorCode.HUNG);
  }

  @Test
  void whatDecidedOverTheOthersIsNoHang() {
    Machine leader = running(2, spec().success(SuccessPolicy.LEADER));
    leader.report(1, SLEEPS);
    leader.exits(0, 0);
    assertThat(leader.outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void nobodyHangsWhoseSpecificationDoesNotAsk() {
    Machine machine = running(1, ClusterSpec.builder("free").command("true"));
    machine.report(0, SLEEPS);
    assertThat(machine.life.verdict()).isEmpty();
  }

  @Test
  void beginsAgainByTheBudgetForHangs() {
    RestartPolicy policy =
        RestartPolicy.upTo(0)
            .withBudget(RestartCause.HUNG, 1)
            .withPause(Duration.ZERO, Duration.ZERO);
    Machine machine = running(1, spec().restart(policy));
    machine.report(0, SLEEPS);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    machine.report(0, Machine.killed());
    machine.know(new Fact.PauseOver(Machine.ID, Machine.NOW, 1));
    machine.run();
    assertThat(machine.life.verdict()).isEmpty(); // What was told of the first attempt is gone.
    machine.report(1, 0, SLEEPS);
    assertThat(machine.life.verdict()).isEmpty();
    machine.report(0, SLEEPS);
    assertThat(machine.cause()).isEqualTo(ErrorCode.HUNG);
  }
}

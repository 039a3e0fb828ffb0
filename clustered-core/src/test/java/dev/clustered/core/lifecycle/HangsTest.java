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

  private static final RankReport.Still ACTIVE = still(0, false, 0);
  private static final RankReport.Still SPINS = still(11, false, 0);
  private static final RankReport.Still SLEEPS = still(11, true, 0);
  private static final RankReport.Still SLEEPS_LONGER = still(12, true, 0);
  private static final RankReport.Still PRINTS = still(0, true, 0);
  private static final RankReport.Still LATE = still(61, false, 61);
  private static final RankReport.Still LATER = still(61, false, 62);
  private static final RankReport.Still LATE_ASLEEP = still(61, true, 61);

  private static RankReport.Still still(int quiet, boolean idle, int late) {
    return new RankReport.Still(
        seconds(quiet),
        idle ? Optional.of(Duration.ofMillis(20)) : Optional.empty(),
        seconds(late));
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
        Arguments.of("late before merely asleep", List.of(SLEEPS, LATE, SPINS), 1));
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
    assertThat(cause.orElseThrow().evidence()).hasSize(reports.size() + 1);
    assertThat(cause.orElseThrow().evidence().getFirst()).startsWith("rank " + culprit + " on");
    assertThat(cause.orElseThrow().evidence().getLast()).contains("GPUs", "not looked at");
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
    assertThat(cause.evidence()).hasSize(12).contains("990 more ranks run");
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

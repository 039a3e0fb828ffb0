// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import dev.clustered.benchmarks.replay.ByCount.Rule;
import dev.clustered.core.plan.PlanPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReplayTest {

  /** Four units: a holds three for 10, b wants all four, c one for 5, d one for 20. */
  private static final List<Job> FOUR =
      List.of(job(0, 0, 10, 3), job(1, 1, 10, 4), job(2, 2, 5, 1), job(3, 3, 20, 1));

  private static Job job(int number, long at, long runs, int units) {
    return Philly.job(number, at, runs, units);
  }

  private static Outcome byCount(Rule rule, List<Job> jobs, int units) {
    return Replay.run(jobs, units, new ByCount(rule, units));
  }

  private static ByPlanner planner(int nodes) {
    return new ByPlanner(Nodes.free(Gpus.SHAPE, nodes, 4), new PlanPolicy(Duration.ofDays(365)));
  }

  @Test
  void firstComeFirstServedLetsNobodyPass() {
    Outcome outcome = byCount(Rule.FIFO, FOUR, 4);

    // a 0, b at 10, c and d at 20: waits 0, 9, 18, 17.
    assertThat(outcome.meanWait()).isEqualTo(11);
    assertThat(outcome.p99Wait()).isEqualTo(18);
    assertThat(outcome.end()).isEqualTo(40);
  }

  @Test
  void greedyBackfillDelaysTheFirst() {
    Outcome outcome = byCount(Rule.GREEDY, FOUR, 4);

    // c at 2 to 7, d at 7 to 27, b only at 27 to 37: waits 0, 26, 0, 4.
    assertThat(outcome.meanWait()).isEqualTo(7.5);
    assertThat(outcome.headDelay()).isEqualTo(26);
    assertThat(outcome.end()).isEqualTo(37);
  }

  @Test
  void easyBackfillTakesWhatDoesNotDelayTheFirst() {
    Outcome outcome = byCount(Rule.EASY, FOUR, 4);

    // c at 2 to 7, b at 10 to 20, d at 20 to 40: waits 0, 9, 0, 17.
    assertThat(outcome.meanWait()).isEqualTo(6.5);
    assertThat(outcome.end()).isEqualTo(40);
    // Until 3, when the last comes: 3 units for 2, 4 for 1. Something waits from 1 to 20, and
    // until then one unit is free from 1 to 2 and from 7 to 10.
    assertThat(outcome.utilisation()).isCloseTo(10.0 / 12, within(1e-9));
    assertThat(outcome.fragmentation()).isCloseTo(4.0 / (19 * 4), within(1e-9));
  }

  @Test
  void easyBackfillTakesWhatTheFirstLeaves() {
    List<Job> jobs =
        List.of(job(0, 0, 10, 3), job(1, 1, 10, 3), job(2, 2, 50, 1), job(3, 3, 50, 1));

    // At 10 the first that waits has three and leaves one: for the third job, not for the fourth.
    assertThat(byCount(Rule.EASY, jobs, 4).meanWait()).isEqualTo((9 + 17) / 4.0);
  }

  @Test
  void plannerStartsWhatEasyBackfillStarts() {
    Outcome outcome = Replay.run(FOUR, 4, planner(4));

    assertThat(outcome.meanWait()).isEqualTo(6.5);
    assertThat(outcome.end()).isEqualTo(40);
  }

  @ParameterizedTest
  @EnumSource
  void everyRuleRunsEveryJobOnceWithoutHoldingTooMuch(Rule rule) {
    SplittableRandom random = new SplittableRandom(4);
    List<Job> jobs = new ArrayList<>();
    for (int job = 0; job < 500; job++) {
      jobs.add(job(job, random.nextInt(1000), random.nextInt(1, 100), random.nextInt(1, 17)));
    }

    Outcome outcome = byCount(rule, jobs, 16);

    assertThat(outcome.jobs()).isEqualTo(500);
    assertThat(outcome.utilisation()).isBetween(0.5, 1.0);
    assertThat(outcome.evictions()).isZero();
  }

  @Test
  void whatNeverStartsIsAnError() {
    Scheduling nobody =
        new Scheduling() {
          @Override
          public void submitted(Job job, long now) {}

          @Override
          public void ended(Job job, long now) {}

          @Override
          public Turn turn(long now) {
            return new Turn(List.of(), List.of());
          }
        };

    assertThatIllegalStateException()
        .isThrownBy(() -> Replay.run(FOUR, 4, nobody))
        .withMessageContaining("4 jobs never start");
  }

  @Test
  void holdingMoreThanThereIsIsAnError() {
    assertThatIllegalStateException()
        .isThrownBy(() -> Replay.run(FOUR, 4, new ByCount(Rule.GREEDY, 8)))
        .withMessageContaining("units are held of 4");
  }

  @Test
  void gangsOfKnavigatorTakeNineWaves() {
    assertThat(Knavigator.jobs()).hasSize(53);
    assertThat(Knavigator.jobs().stream().mapToLong(Job::units).sum()).isEqualTo(288);
    assertThat(Knavigator.waves()).isEqualTo(9);
  }

  @Test
  void loadsOfKueueHaveTheirNumbersOfJobs() {
    assertThat(KueueLoad.baseline().jobs()).hasSize(15_000);
    assertThat(KueueLoad.tas().jobs()).hasSize(15_000);
    assertThat(KueueLoad.large().jobs()).hasSize(50_000);
    assertThat(KueueLoad.mix()).hasSize(15_000);
  }
}

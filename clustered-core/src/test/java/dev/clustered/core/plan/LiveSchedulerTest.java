// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A scheduler that lives through days of work plans at any moment as one that has just begun. */
class LiveSchedulerTest {

  private final Set<ClusterId> told = new TreeSet<>();
  private final Set<ClusterId> waited = new TreeSet<>();

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 100);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void plansAtAnyTimeAsOneThatHasJustBegun(long seed) {
    Random random = new Random(seed);
    PoolSimulation pool = SimulationTest.pool(random);
    SimulationTest.fill(pool, random, random.nextBoolean());
    pool.waiting.replaceAll(
        gang -> gang.withTerms(gang.terms().withPriority(random.nextInt(3)).preemptibleByOthers()));
    pool.policy =
        pool.policy
            .withBackfill(new PlanPolicy.Backfill(2, Duration.ofMinutes(random.nextInt(9))))
            .withPreemption(
                new PlanPolicy.Preemption(
                    true,
                    Duration.ofMinutes(random.nextInt(20)),
                    Duration.ofMinutes(random.nextInt(3)),
                    Duration.ofMinutes(1)));
    pool.drain = Duration.ofMinutes(random.nextInt(4));
    Scheduler live = new Scheduler(pool.policy);
    do {
      for (int minutes = 0; minutes < 12; minutes += 1 + random.nextInt(3)) {
        same(live, pool, pool.now.plus(Duration.ofMinutes(minutes)), seed);
      }
      pool.step();
    } while (pool.advance());
    assertThat(pool.waiting).as("seed %d", seed).isEmpty();
  }

  private void same(Scheduler live, PoolSimulation pool, Instant at, long seed) {
    tell(live, pool);
    Instant before = pool.now;
    pool.now = at;
    Snapshot snapshot = pool.snapshot();
    pool.now = before;
    List<Decision> fresh = Planner.plan(snapshot).decisions();
    assertThat(live.plan(at).decisions()).as("seed %d at %s", seed, at).isEqualTo(fresh);
  }

  private void tell(Scheduler live, PoolSimulation pool) {
    Set<ClusterId> gone = new TreeSet<>(told);
    gone.removeAll(pool.running.keySet());
    gone.forEach(gang -> live.ended(gang, pool.now));
    pool.running.values().forEach(live::runs);
    pool.nodes.values().forEach(live::node);
    Set<ClusterId> waits = new TreeSet<>();
    pool.waiting.forEach(gang -> waits.add(gang.id()));
    waited.stream().filter(gang -> !waits.contains(gang)).forEach(live::served);
    // In the order of arrival, which the pool keeps and a gang that comes back has lost.
    if (!waited.equals(waits)) {
      waited.forEach(live::served);
    }
    pool.waiting.forEach(live::waits);
    told.clear();
    told.addAll(pool.running.keySet());
    waited.clear();
    waited.addAll(waits);
  }
}

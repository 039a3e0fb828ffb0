// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole days of random work carried out by plan after plan; a failure names its seed. */
class SimulationTest {

  private static final Shape NODE =
      new Shape("gpu", new Resources(8, "H200", 16, ByteSize.gibibytes(64)), 8, 3200);

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 100);
  }

  static PoolSimulation pool(Random random) {
    PoolSimulation pool = new PoolSimulation();
    int racks = 1 + random.nextInt(3);
    for (int rack = 0; rack < racks; rack++) {
      int hosts = rack == 0 ? 4 : 1 + random.nextInt(4); // One holds any gang.
      for (int host = 0; host < hosts; host++) {
        String name = "r" + rack + "h" + host;
        pool.node(
            Scenario.at(
                name,
                NODE,
                TopologyPath.of("zone", "z", "fabric", "f", "rack", "r" + rack, "host", name)));
      }
    }
    return pool;
  }

  private static GangRequest gang(int number, Random random, boolean limits) {
    GangRequest gang = Scenario.gang("g%03d".formatted(number), 1 + random.nextInt(4));
    if (random.nextInt(3) == 0) {
      gang = Scenario.each(gang, Scenario.gpus(1 + random.nextInt(8)));
    }
    if (random.nextInt(3) == 0) {
      gang = gang.withLayout(Layout.ANY.withRequired("rack"));
    }
    Terms terms = Terms.DEFAULT;
    if (limits) {
      terms = terms.withTimeLimit(Duration.ofMinutes(1 + random.nextInt(60)));
    }
    return gang.withTerms(terms);
  }

  static void fill(PoolSimulation pool, Random random, boolean limits) {
    int gangs = 1 + random.nextInt(25);
    for (int i = 0; i < gangs; i++) {
      GangRequest gang = gang(i, random, limits);
      pool.waiting.add(gang);
      long minutes = gang.terms().timeLimit().map(Duration::toMinutes).orElse(60L);
      boolean early = random.nextInt(3) == 0;
      long takes = early ? 1 + random.nextInt((int) minutes) : minutes;
      pool.takes.put(gang.id(), Duration.ofMinutes(takes));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void startsNobodyLaterThanItWasTold(long seed) {
    Random random = new Random(seed);
    PoolSimulation pool = pool(random);
    fill(pool, random, true);
    Map<ClusterId, Instant> promised = new TreeMap<>();
    do {
      Plan plan = pool.step();
      for (Decision decision : plan.decisions()) {
        if (decision instanceof Wait wait && wait.expectedStart().isPresent()) {
          promised.merge(wait.gang(), wait.expectedStart().get(), (a, b) -> a.isBefore(b) ? a : b);
        }
      }
      fixpoint(pool, seed);
    } while (pool.advance());

    assertThat(pool.waiting).as("seed %d: all have run", seed).isEmpty();
    promised.forEach(
        (gang, at) ->
            assertThat(pool.started.get(gang)).as("seed %d: %s", seed, gang).isBeforeOrEqualTo(at));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void startsEverybodyAtLastWhenNoEndIsKnown(long seed) {
    Random random = new Random(seed);
    PoolSimulation pool = pool(random);
    fill(pool, random, false);
    do {
      pool.step();
      fixpoint(pool, seed);
    } while (pool.advance());

    assertThat(pool.waiting).as("seed %d: all have run", seed).isEmpty();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void endsOthersOnlyForAGangThatThenStarts(long seed) {
    Random random = new Random(seed);
    PoolSimulation pool = pool(random);
    fill(pool, random, random.nextBoolean());
    pool.waiting.replaceAll(
        gang -> gang.withTerms(gang.terms().withPriority(random.nextInt(3)).preemptibleByOthers()));
    int turns = 0;
    do {
      Plan plan = pool.step();
      for (Decision decision : plan.decisions()) {
        if (decision instanceof Decision.Preempt preempt) {
          for (ClusterId victim : preempt.victims()) {
            assertThat(pool.running.get(victim).request().priority())
                .as("seed %d: %s", seed, preempt)
                .isLessThan(priority(pool, preempt.gang()));
          }
        }
      }
      fixpoint(pool, seed);
      assertThat(turns++).as("seed %d: comes to an end", seed).isLessThan(2000);
    } while (pool.advance());

    assertThat(pool.waiting).as("seed %d: all have run", seed).isEmpty();
  }

  private static int priority(PoolSimulation pool, ClusterId id) {
    return pool.waiting.stream()
        .filter(gang -> gang.id().equals(id))
        .findFirst()
        .orElseThrow()
        .priority();
  }

  /** What has been carried out is not decided again. */
  private static void fixpoint(PoolSimulation pool, long seed) {
    Plan again = Planner.plan(pool.snapshot());
    assertThat(new ArrayList<>(again.decisions()))
        .as("seed %d at %s", seed, pool.now)
        .allMatch(decision -> decision instanceof Wait);
  }
}

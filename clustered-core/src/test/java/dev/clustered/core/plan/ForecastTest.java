// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is forecast happens, when nothing happens that was not known. */
class ForecastTest {

  private static final Duration LEAVING = Duration.ofSeconds(30);

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 100);
  }

  /** A pool in the middle of its work: gangs run, and others wait that have all been told so. */
  private static PoolSimulation inTheMiddle(Random random, boolean limits) {
    PoolSimulation pool = SimulationTest.pool(random);
    SimulationTest.fill(pool, random, limits);
    pool.waiting.forEach(
        gang -> gang.terms().timeLimit().ifPresent(limit -> pool.takes.put(gang.id(), limit)));
    pool.drain = LEAVING;
    return pool;
  }

  private static Map<ClusterId, Instant> forecast(PoolSimulation pool) {
    List<ClusterId> all = pool.waiting.stream().map(GangRequest::id).toList();
    return Forecast.of(pool.snapshot(), all, LEAVING, Forecast.MOST_PLANS);
  }

  private static Map<ClusterId, Instant> reserved(Plan plan) {
    Map<ClusterId, Instant> reserved = new TreeMap<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Wait wait) {
        wait.expectedStart().ifPresent(at -> reserved.put(wait.gang(), at));
      }
    }
    return reserved;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isTheTimeAtWhichTheGangStarts(long seed) {
    Random random = new Random(seed);
    PoolSimulation pool = inTheMiddle(random, true);
    int before = random.nextInt(6);
    for (int i = 0; i < before; i++) {
      pool.step();
      pool.advance();
    }
    Map<ClusterId, Instant> forecast = forecast(pool);
    reserved(Planner.plan(pool.snapshot()))
        .forEach(
            (gang, at) ->
                assertThat(forecast.get(gang))
                    .as("seed %d: %s has a reservation", seed, gang)
                    .isBeforeOrEqualTo(at));
    starts(pool, seed);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isTheTimeAtWhichTheGangStartsWhereOthersAreEndedForIt(long seed) {
    Random random = new Random(seed);
    PoolSimulation pool = inTheMiddle(random, true);
    pool.waiting.replaceAll(gang -> preemptible(gang, random));
    List<GangRequest> later = List.copyOf(pool.waiting.subList(0, pool.waiting.size() / 2));
    pool.waiting.removeAll(later);
    pool.step();
    pool.waiting.addAll(0, later);
    starts(pool, seed);
  }

  /** Each has come at a time of its own, so that nothing depends on how a tie is broken. */
  private static GangRequest preemptible(GangRequest gang, Random random) {
    long number = Long.parseLong(gang.id().value().substring(1));
    return new GangRequest(
        gang.id(),
        gang.queuedAt().minusSeconds(number),
        gang.roles(),
        gang.layout(),
        gang.spares(),
        gang.terms().withPriority(random.nextInt(3)).preemptibleByOthers(),
        gang.alternatives(),
        gang.claim());
  }

  private static void starts(PoolSimulation pool, long seed) {
    Map<ClusterId, Instant> forecast = forecast(pool);
    pool.started.clear();
    List<ClusterId> waiting = pool.waiting.stream().map(GangRequest::id).toList();
    do {
      pool.step();
    } while (pool.advance());
    for (ClusterId gang : waiting) {
      assertThat(forecast.get(gang))
          .as("seed %d: %s", seed, gang)
          .isEqualTo(pool.started.get(gang));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isNeverGuessedFromEndsThatNobodyKnows(long seed) {
    Random random = new Random(seed);
    PoolSimulation pool = inTheMiddle(random, false);
    pool.waiting.replaceAll(
        gang ->
            random.nextBoolean()
                ? gang
                : gang.withTerms(Terms.DEFAULT.withTimeLimit(Duration.ofMinutes(7))));
    pool.waiting.forEach(
        gang -> gang.terms().timeLimit().ifPresent(limit -> pool.takes.put(gang.id(), limit)));
    pool.waiting.stream()
        .filter(gang -> gang.terms().timeLimit().isEmpty())
        .forEach(gang -> pool.takes.put(gang.id(), Duration.ofDays(999)));
    Map<ClusterId, Instant> forecast = forecast(pool);
    do {
      pool.step();
    } while (pool.advance() && pool.now.isBefore(Scenario.NOW.plus(Duration.ofDays(900))));
    assertThat(forecast).as("seed %d", seed).isEqualTo(before(pool.started));
  }

  private static Map<ClusterId, Instant> before(Map<ClusterId, Instant> started) {
    Map<ClusterId, Instant> before = new TreeMap<>(started);
    before.values().removeIf(at -> at.isAfter(Scenario.NOW.plus(Duration.ofDays(900))));
    return before;
  }

  @Test
  void isUnknownWhenItTakesMorePlansThanAllowed() {
    PoolSimulation pool = new PoolSimulation();
    pool.node(Scenario.node("n", Scenario.GPU, "z", ""));
    for (int i = 0; i < 5; i++) {
      GangRequest gang = Scenario.gang("g" + i, 1);
      pool.waiting.add(gang.withTerms(gang.terms().withTimeLimit(Duration.ofMinutes(10))));
    }
    ClusterId last = new ClusterId("g4");
    assertThat(Forecast.of(pool.snapshot(), last))
        .contains(Scenario.NOW.plus(Duration.ofMinutes(40)));
    assertThat(Forecast.of(pool.snapshot(), List.of(last), Duration.ZERO, 5)).containsKey(last);
    assertThat(Forecast.of(pool.snapshot(), List.of(last), Duration.ZERO, 4)).isEmpty();
  }

  @Test
  void countsOnLaunchesAndOnTheNextCapacityAfterACoolDown() {
    Scenario scenario =
        new Scenario()
            .offers(Scenario.offer(Scenario.GPU, "z", 4, "1.00"))
            .coolDown(Scenario.offer(Scenario.GPU, "z", 4, "1.00"), Duration.ofMinutes(3))
            .gangs(Scenario.gang("first", 4), Scenario.gang("second", 4));
    Map<ClusterId, Instant> starts =
        Forecast.of(
            scenario.snapshot(),
            List.of(new ClusterId("first"), new ClusterId("second")),
            Duration.ZERO,
            Forecast.MOST_PLANS);
    assertThat(starts)
        .containsOnly(Map.entry(new ClusterId("first"), Scenario.NOW.plus(Duration.ofMinutes(4))));
  }
}

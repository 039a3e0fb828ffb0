// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Scheduler;
import dev.clustered.core.plan.Terms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * 64 nodes of which seven jobs hold 59, and a thousand jobs of 1 to 16 nodes and 10 to 119 minutes
 * that wait: one plan that starts whatever does not delay the first.
 */
final class Backfilling implements Suite.Measurement {

  private static final int NODES = 64;
  private static final int JOBS = 1007;
  private static final int RUNNING = 7;
  private static final int WARM_UP = 100;
  private static final int ROUNDS = 200;
  private static final double BAR_MILLIS = 20;

  @Override
  public String name() {
    return "backfill";
  }

  @Override
  public List<Figure> run() {
    Scheduler scheduler = Racks.scheduler(NODES);
    int node = 0;
    for (int job = 1; job <= RUNNING; job++) {
      scheduler.runs(Racks.running(job(job), node, Racks.NOW));
      node += nodes(job);
    }
    for (int job = RUNNING + 1; job <= JOBS; job++) {
      scheduler.waits(job(job));
    }
    List<Double> times = new ArrayList<>();
    int started = 0;
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      scheduler.waits(job(JOBS + 1)); // A job that comes and goes makes the scheduler plan anew.
      scheduler.served(job(JOBS + 1).id());
      long start = System.nanoTime();
      Plan plan = scheduler.plan(Racks.NOW);
      double millis = (System.nanoTime() - start) / 1e6;
      started = check(plan, NODES - node);
      if (round >= 0) {
        times.add(millis);
      }
    }
    Distribution all = Distribution.of(times);
    String what = "%d jobs wait, %d of them start; ".formatted(JOBS - RUNNING, started);
    return List.of(
        Figure.lower(name(), all.median(), "ms", what + all.spread()).withBar(BAR_MILLIS));
  }

  private static int nodes(int job) {
    return 1 + job * 7 % 16;
  }

  private static Duration limit(int job) {
    return Duration.ofMinutes(10 + job * 13 % 110);
  }

  private static GangRequest job(int job) {
    return Racks.wholeNodes("job-%04d".formatted(job), nodes(job), Optional.empty())
        .withTerms(Terms.DEFAULT.withTimeLimit(limit(job)));
  }

  /** What the plan starts fits, something starts, and the first that waits is not delayed by it. */
  private static int check(Plan plan, int free) {
    if (plan.decisions().size() != JOBS - RUNNING) {
      throw new IllegalStateException("not a decision for each: " + plan.decisions().size());
    }
    if (!(plan.decisions().getFirst() instanceof Decision.Wait first)
        || first.expectedStart().isEmpty()) {
      throw new IllegalStateException(
          "the first waits, and its start is known; received: " + plan.decisions().getFirst());
    }
    int taken = 0;
    int started = 0;
    Duration untilFirst = Duration.between(Racks.NOW, first.expectedStart().get());
    int freeThen = free;
    for (int job = 1; job <= RUNNING; job++) {
      freeThen += limit(job).compareTo(untilFirst) <= 0 ? nodes(job) : 0;
    }
    for (int i = 0; i < plan.decisions().size(); i++) {
      if (plan.decisions().get(i) instanceof Decision.Place) {
        int job = RUNNING + 1 + i;
        started++;
        taken += nodes(job);
        freeThen -= limit(job).compareTo(untilFirst) <= 0 ? 0 : nodes(job);
      }
    }
    if (started == 0 || taken > free || freeThen < nodes(RUNNING + 1)) {
      throw new IllegalStateException(
          "%d start and take %d of %d nodes, of which %d are free for the first of %d nodes"
              .formatted(started, taken, free, freeThen, nodes(RUNNING + 1)));
    }
    return started;
  }
}

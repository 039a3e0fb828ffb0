// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.NodeView;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Scheduler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A turn in which a node reports what is known of it already and time goes by, on 5,000 nodes with
 * 28 allocations each.
 */
final class UnchangedTurn implements Suite.Measurement {

  private static final int NODES = 5000;
  private static final int HOLDERS = 28;
  private static final int WARM_UP = 5000;
  private static final int ROUNDS = 20_000;

  @Override
  public String name() {
    return "unchanged";
  }

  @Override
  public List<Figure> run() {
    Scheduler scheduler = Racks.scheduler(NODES);
    for (int node = 0; node < NODES; node++) {
      for (int holder = 0; holder < HOLDERS; holder++) {
        String name = "r-" + node + "-" + holder;
        scheduler.runs(Racks.runningSmall(name, node, Racks.NOW));
      }
    }
    List<Double> times = new ArrayList<>();
    Instant now = Racks.NOW;
    for (int round = 0; round < WARM_UP + ROUNDS; round++) {
      NodeView same = Racks.held(round % NODES, HOLDERS);
      now = now.plusMillis(10);
      long start = System.nanoTime();
      scheduler.node(same);
      Plan plan = scheduler.plan(now);
      double millis = (System.nanoTime() - start) / 1e6;
      if (!plan.decisions().isEmpty()) {
        throw new IllegalStateException("nothing is to be done, and the plan is " + plan);
      }
      if (round >= WARM_UP) {
        times.add(millis);
      }
    }
    Distribution all = Distribution.of(times);
    return List.of(
        Figure.lower(name(), all.percentile(99), "ms", "p99; " + all.spread()).withBar(0.1));
  }
}

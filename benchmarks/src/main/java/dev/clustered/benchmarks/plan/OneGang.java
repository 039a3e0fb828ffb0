// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Scheduler;
import java.util.ArrayList;
import java.util.List;

/** A gang of four that comes to 5,000 nodes in 50 racks: from its arrival to its plan. */
final class OneGang implements Suite.Measurement {

  private static final int NODES = 5000;
  private static final int WARM_UP = 2000;
  private static final int ROUNDS = 5000;

  @Override
  public String name() {
    return "gang";
  }

  @Override
  public List<Figure> run() {
    Scheduler scheduler = Racks.scheduler(NODES);
    List<Double> times = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      GangRequest gang = Racks.gang(round + WARM_UP, 4);
      long start = System.nanoTime();
      scheduler.waits(gang);
      Plan plan = scheduler.plan(Racks.NOW);
      double millis = (System.nanoTime() - start) / 1e6;
      Racks.requirePlaced(plan, 1);
      scheduler.served(gang.id());
      if (round >= 0) {
        times.add(millis);
      }
    }
    Distribution all = Distribution.of(times);
    return List.of(
        Figure.lower(name(), all.percentile(99), "ms", "p99; " + all.spread()).withBar(1),
        Figure.lower("gang.median", all.median(), "ms", all.spread()));
  }
}

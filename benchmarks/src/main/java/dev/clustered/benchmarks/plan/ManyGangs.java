// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Many gangs that wait at once for a free pool: one plan for them all. */
final class ManyGangs implements Suite.Measurement {

  /** For so long plans are made that do not count: a plan of nine gangs is compiled late. */
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int ROUNDS = 20;

  private final String name;
  private final int nodes;
  private final int gangs;
  private final int size;
  private final double barMillis;

  ManyGangs(String name, int nodes, int gangs, int size, double barMillis) {
    this.name = name;
    this.nodes = nodes;
    this.gangs = gangs;
    this.size = size;
    this.barMillis = barMillis;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Figure> run() {
    Scheduler scheduler = Racks.scheduler(nodes);
    for (int gang = 0; gang < gangs; gang++) {
      scheduler.waits(Racks.gang(gang, size));
    }
    List<Double> times = new ArrayList<>();
    long begun = System.nanoTime();
    while (times.size() < ROUNDS) {
      // A gang that comes and goes makes the scheduler plan anew.
      scheduler.waits(Racks.gang(gangs, size));
      scheduler.served(Racks.gang(gangs, size).id());
      long start = System.nanoTime();
      Plan plan = scheduler.plan(Racks.NOW);
      double millis = (System.nanoTime() - start) / 1e6;
      Racks.requirePlaced(plan, gangs);
      if (start - begun > WARM_UP_NANOS) {
        times.add(millis);
      }
    }
    Distribution all = Distribution.of(times);
    String what = "%d gangs of %d on %d nodes; ".formatted(gangs, size, nodes);
    return List.of(Figure.lower(name, all.median(), "ms", what + all.spread()).withBar(barMillis));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.benchmarks.fenzo.FenzoPeer;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Scheduler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * As many jobs of one whole node as there are free nodes: one plan for them all, and beside it one
 * call of Fenzo. Both start without knowing anything of the nodes.
 */
final class WholeNodes implements Suite.Measurement {

  private static final int[] SIZES = {100, 1000};
  private static final int WARM_UP_TASKS = 20_000;
  private static final int ROUNDS = 20;

  @Override
  public String name() {
    return "tasks";
  }

  @Override
  public List<Figure> run() throws IOException, ReflectiveOperationException {
    List<Figure> figures = new ArrayList<>();
    for (int size : SIZES) {
      Distribution ours = ours(size);
      String what = "%d jobs of one node on as many, from nothing; ".formatted(size);
      Figure figure = Figure.lower(name() + "." + size, ours.median(), "ms", what + ours.spread());
      Optional<Distribution> fenzo = FenzoPeer.whole(size, WARM_UP_TASKS / size, ROUNDS);
      figures.add(
          fenzo.map(theirs -> figure.withPeer("Fenzo 1.0.1", theirs.median())).orElse(figure));
    }
    return figures;
  }

  private static Distribution ours(int size) {
    List<GangRequest> jobs = new ArrayList<>();
    for (int job = 0; job < size; job++) {
      jobs.add(Racks.wholeNodes("t-" + job, 1, Optional.empty()));
    }
    var nodes = Racks.free(size);
    List<Double> times = new ArrayList<>();
    for (int round = -WARM_UP_TASKS / size; round < ROUNDS; round++) {
      long start = System.nanoTime();
      Scheduler scheduler = Racks.scheduler(nodes);
      jobs.forEach(scheduler::waits);
      Plan plan = scheduler.plan(Racks.NOW);
      double millis = (System.nanoTime() - start) / 1e6;
      Racks.requirePlaced(plan, size);
      if (round >= 0) {
        times.add(millis);
      }
    }
    return Distribution.of(times);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The 15,000 gangs of Kueue's test with topology, all waiting at once, in one plan. */
public final class KueueMix implements Suite.Measurement {

  private static final int WARM_UP = 12;
  private static final int ROUNDS = 10;
  private static final double BAR_MILLIS = 300;

  @Override
  public String name() {
    return "mix";
  }

  @Override
  public List<Figure> run() {
    List<GangRequest> gangs = KueueLoad.mix();
    List<Double> times = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      Scheduler scheduler = new Scheduler(new PlanPolicy(Duration.ofDays(365)));
      KueueLoad.nodes().forEach(scheduler::node);
      gangs.forEach(scheduler::waits);
      long start = System.nanoTime();
      Plan plan = scheduler.plan(ByPlanner.at(0));
      double millis = (System.nanoTime() - start) / 1e6;
      check(gangs, plan);
      if (round >= 0) {
        times.add(millis);
      }
    }
    Distribution all = Distribution.of(times);
    String what = "%d gangs on 640 nodes, all placed; ".formatted(gangs.size());
    return List.of(
        Figure.lower(name(), all.median(), "ms", what + all.spread()).withBar(BAR_MILLIS));
  }

  /** Every gang is placed, and as it may be. */
  private static void check(List<GangRequest> gangs, Plan plan) {
    Ledger ledger = new Ledger(KueueLoad.nodes());
    for (int i = 0; i < gangs.size(); i++) {
      if (!(plan.decisions().get(i) instanceof Decision.Place place)
          || !place.gang().equals(gangs.get(i).id())) {
        throw new IllegalStateException("not placed: " + plan.decisions().get(i));
      }
      ledger.place(gangs.get(i), place);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Suite;
import dev.clustered.benchmarks.optimum.OptimumRatio;
import dev.clustered.benchmarks.replay.KueueMix;
import dev.clustered.benchmarks.replay.KueueReplay;
import dev.clustered.benchmarks.replay.TraceReplay;
import dev.clustered.benchmarks.replay.Waves;
import java.util.List;

/** What a plan costs, planner time alone, on one thread; and how good it is. */
public final class PlanSuite implements Suite {

  @Override
  public String name() {
    return "plan";
  }

  @Override
  public List<Measurement> measurements() {
    return List.of(
        new OneGang(),
        new ManyGangs("many", 5000, 2250, 4, 100),
        new ManyGangs("huge", 5000, 9, 1000, 10),
        new KueueMix(),
        new KueueReplay(),
        new RackPreemption(),
        new SinglesReclaim(),
        new Backfilling(),
        new UnchangedTurn(),
        new Growth(),
        new WholeNodes(),
        new Waves(),
        new OptimumRatio(),
        new TraceReplay());
  }
}

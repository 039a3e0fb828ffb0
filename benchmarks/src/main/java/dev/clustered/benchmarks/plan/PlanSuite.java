// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Suite;
import java.util.List;

/** What a plan costs; planner time alone, on one thread. */
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
        new UnchangedTurn());
  }
}

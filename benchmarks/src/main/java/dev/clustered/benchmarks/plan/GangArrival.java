// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Scheduler;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A gang of four that comes to 5,000 nodes in 50 racks, from its arrival to its plan, and goes. */
@State(Scope.Benchmark)
public class GangArrival {

  private static final int NODES = 5000;

  private final Scheduler scheduler = Racks.scheduler(NODES);
  private int number;

  /** Once. */
  @Benchmark
  @BenchmarkMode(Mode.SampleTime)
  public Plan arrival() {
    GangRequest gang = Racks.gang(number++, 4);
    scheduler.waits(gang);
    Plan plan = scheduler.plan(Racks.NOW);
    Racks.requirePlaced(plan, 1);
    scheduler.served(gang.id());
    return plan;
  }
}

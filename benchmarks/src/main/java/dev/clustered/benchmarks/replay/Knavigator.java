// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.core.plan.PlanPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The 53 gangs of NVIDIA's Knavigator benchmark for gang scheduling: all come at once, run two
 * minutes each, and fill 32 nodes nine times over.
 */
final class Knavigator {

  static final int NODES = 32;
  static final long RUNS = 120_000;

  /** In the order in which they are submitted. */
  private static final List<Integer> SIZES =
      List.of(
          32, 16, 16, 10, 10, 10, 2, 8, 8, 8, 8, 6, 6, 6, 6, 6, 1, 1, 5, 5, 5, 5, 5, 5, 2, 4, 4, 4,
          4, 4, 4, 4, 2, 1, 1, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 5);

  private Knavigator() {}

  static List<Job> jobs() {
    List<Job> jobs = new ArrayList<>();
    for (int size : SIZES) {
      jobs.add(Philly.job(jobs.size(), 0, RUNS, size));
    }
    return jobs;
  }

  /** In how many waves the planner runs them: how often two minutes go by until all have ended. */
  static double waves() {
    PlanPolicy policy = new PlanPolicy(Duration.ofDays(365));
    ByPlanner planner = new ByPlanner(Nodes.free(Gpus.SHAPE, NODES, NODES), policy);
    return (double) Replay.run(jobs(), NODES, planner).end() / RUNS;
  }
}

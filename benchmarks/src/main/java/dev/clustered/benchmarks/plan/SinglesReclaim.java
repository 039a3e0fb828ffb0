// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.QueueTree;
import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.core.plan.Scheduler;
import dev.clustered.core.plan.Terms;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * 500 nodes, full with 4,000 jobs of one GPU of a queue that owns nothing, and 4,000 such jobs of
 * the queue that owns everything: one plan that takes it all back.
 */
final class SinglesReclaim implements Suite.Measurement {

  private static final int NODES = 500;
  private static final int GPUS_OF_NODE = 8;
  private static final int WARM_UP = 5;
  private static final int ROUNDS = 10;
  private static final double BAR_MILLIS = 500;

  @Override
  public String name() {
    return "reclaim";
  }

  @Override
  public List<Figure> run() {
    int jobs = NODES * GPUS_OF_NODE;
    Scheduler scheduler = full();
    for (int job = 0; job < jobs; job++) {
      scheduler.waits(
          Racks.oneGpu("owner-%04d".formatted(job)).withTerms(Terms.DEFAULT.withQueue("owner")));
    }
    List<Double> times = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      GangRequest other =
          Racks.oneGpu("other").withTerms(Terms.DEFAULT.withQueue("owner").withPriority(-1));
      scheduler.waits(other); // A job that comes and goes makes the scheduler plan anew.
      scheduler.served(other.id());
      long start = System.nanoTime();
      Plan plan = scheduler.plan(Racks.NOW);
      double millis = (System.nanoTime() - start) / 1e6;
      check(plan, jobs);
      if (round >= 0) {
        times.add(millis);
      }
    }
    Distribution all = Distribution.of(times);
    String what = "%d jobs take back what %d others hold; ".formatted(jobs, jobs);
    return List.of(
        Figure.lower(name(), all.median(), "ms", what + all.spread()).withBar(BAR_MILLIS));
  }

  private static Scheduler full() {
    Resources nothing = Resources.NONE;
    Resources all = new Resources(NODES * GPUS_OF_NODE, "", 0, ByteSize.ZERO);
    QueueTree queues =
        new QueueTree(
            List.of(
                new QueueShare("over", "", nothing, Optional.empty(), Optional.empty(), 1),
                new QueueShare("owner", "", all, Optional.empty(), Optional.empty(), 1)),
            Duration.ofDays(7));
    Scheduler scheduler = new Scheduler(new PlanPolicy(Duration.ofHours(1)).withQueues(queues));
    Racks.free(NODES).forEach(scheduler::node);
    for (int job = 0; job < NODES * GPUS_OF_NODE; job++) {
      GangRequest gang =
          Racks.oneGpu("over-%04d".formatted(job))
              .withTerms(Terms.DEFAULT.withQueue("over").preemptibleByOthers());
      scheduler.runs(
          Racks.runningOneGpu(
              gang, job / GPUS_OF_NODE, job % GPUS_OF_NODE, Racks.NOW.minusSeconds(60 + job)));
    }
    return scheduler;
  }

  /** Each job that waits has one other ended for it, and nobody is ended twice. */
  private static void check(Plan plan, int jobs) {
    Set<ClusterId> victims = new HashSet<>();
    for (Decision decision : plan.decisions()) {
      if (!(decision instanceof Decision.Preempt preempt)
          || preempt.victims().size() != 1
          || !victims.add(preempt.victims().getFirst())) {
        throw new IllegalStateException("one other is to end, and the plan says " + decision);
      }
    }
    if (victims.size() != jobs) {
      throw new IllegalStateException(
          "%d are to end, and the plan ends %d".formatted(jobs, victims.size()));
    }
  }
}

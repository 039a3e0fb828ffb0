// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Member;
import dev.clustered.core.plan.NodeView;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.core.plan.Scheduler;
import dev.clustered.model.ClusterId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Carries out what the planner decides: a gang that is told to end has ended at once and waits at
 * its old place. Everything it does is checked apart from the planner, outside the planner's time.
 */
final class ByPlanner implements Scheduling {

  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private final Scheduler scheduler;
  private final Ledger ledger;
  private final Shares shares;
  private final Map<ClusterId, Job> jobs = new HashMap<>();
  private boolean settled = true;
  private long nanos;
  private long longest;
  private long plans;

  ByPlanner(List<NodeView> nodes, PlanPolicy policy) {
    this.scheduler = new Scheduler(policy);
    this.ledger = new Ledger(nodes);
    this.shares = new Shares(policy.queues());
    nodes.forEach(scheduler::node);
  }

  /** The time of a replay as the planner sees it. */
  static Instant at(long millis) {
    return START.plusMillis(millis);
  }

  /** How long the planner took in all: to hear of everything that happened, and to plan. */
  long nanos() {
    return nanos;
  }

  /** How long the longest plan took. */
  long longestNanos() {
    return longest;
  }

  long plans() {
    return plans;
  }

  @Override
  public void submitted(Job job, long now) {
    jobs.put(job.gang().id(), job);
    waits(job.gang());
  }

  private void waits(GangRequest gang) {
    timed(() -> scheduler.waits(gang));
    settled = false;
  }

  @Override
  public void ended(Job job, long now) {
    release(job.gang(), now);
    jobs.remove(job.gang().id());
  }

  private void release(GangRequest gang, long now) {
    ledger.end(gang.id());
    shares.use(gang.terms().queue(), -cpus(gang));
    timed(() -> scheduler.ended(gang.id(), at(now)));
    settled = false;
  }

  @Override
  public Turn turn(long now) {
    if (settled) {
      return new Turn(List.of(), List.of());
    }
    Plan plan = plan(now);
    settled = true; // A plan that is carried out leaves nothing to do, but for what it evicts.
    List<Job> started = new ArrayList<>();
    List<Job> evicted = new ArrayList<>();
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Decision.Place place -> started.add(place(place, now));
        case Decision.Preempt preempt -> preempt(preempt, now, evicted);
        case Decision.Wait wait -> {}
        default -> throw new IllegalStateException("no replay wants this: " + decision);
      }
    }
    return new Turn(started, evicted);
  }

  private Plan plan(long now) {
    long start = System.nanoTime();
    Plan plan = scheduler.plan(at(now));
    long took = System.nanoTime() - start;
    nanos += took;
    longest = Math.max(longest, took);
    plans++;
    return plan;
  }

  private Job place(Decision.Place place, long now) {
    Job job = known(place.gang());
    GangRequest gang = job.gang();
    List<Member> members = ledger.place(gang, place);
    shares.use(gang.terms().queue(), cpus(gang));
    Optional<Instant> end = gang.terms().timeLimit().map(at(now)::plus);
    RunningGang running = new RunningGang(gang, members, at(now), end);
    timed(() -> scheduler.runs(running));
    return job;
  }

  private void preempt(Decision.Preempt preempt, long now, List<Job> evicted) {
    if (!preempt.shrinks().isEmpty()) {
      throw new IllegalStateException("no gang of a replay is elastic: " + preempt);
    }
    for (ClusterId victim : preempt.victims()) {
      Job job = known(victim);
      release(job.gang(), now);
      waits(job.gang());
      evicted.add(job);
    }
    waits(known(preempt.gang()).gang().withClaim(preempt.claim()));
  }

  private Job known(ClusterId gang) {
    Job job = jobs.get(gang);
    if (job == null) {
      throw new IllegalStateException("the planner decides about the unknown gang " + gang);
    }
    return job;
  }

  private void timed(Runnable told) {
    long start = System.nanoTime();
    told.run();
    nanos += System.nanoTime() - start;
  }

  private static long cpus(GangRequest gang) {
    return (long) gang.nodes() * gang.each().map(each -> each.cpus()).orElse(0);
  }
}

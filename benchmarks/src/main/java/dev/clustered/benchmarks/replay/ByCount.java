// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;

/**
 * The plain rules of batch systems over a number of free units: no topology, no eviction, jobs in
 * the order in which they come, the higher priority first.
 */
final class ByCount implements Scheduling {

  /** What later jobs may do while an earlier one waits. */
  enum Rule {
    /** Nothing: the first that does not fit holds up all others. */
    FIFO,
    /** Whatever fits: the earlier one may wait for ever longer. */
    GREEDY,
    /**
     * What does not delay the first that waits: it ends before that one can start, or takes what
     * that one leaves (Lifka's EASY).
     */
    EASY
  }

  private final Rule rule;
  private final TreeSet<Job> waiting = new TreeSet<>(Job.ORDER);
  private final TreeSet<End> ends =
      new TreeSet<>(Comparator.comparingLong(End::at).thenComparingInt(e -> e.job().number()));
  private long free;
  private long nanos;

  /** When a job ends; known, as it runs exactly as long as it says. */
  private record End(long at, Job job) {}

  /** When the first that waits can start, and how much it then leaves. */
  private record Reservation(long at, long extra) {}

  ByCount(Rule rule, long capacity) {
    this.rule = rule;
    this.free = capacity;
  }

  /** How long its turns took in all. */
  long nanos() {
    return nanos;
  }

  @Override
  public void submitted(Job job, long now) {
    waiting.add(job);
  }

  @Override
  public void ended(Job job, long now) {
    ends.remove(new End(now, job));
    free += job.units();
  }

  @Override
  public Turn turn(long now) {
    long start = System.nanoTime();
    List<Job> started = new ArrayList<>();
    while (!waiting.isEmpty() && waiting.first().units() <= free) {
      start(waiting.removeFirst(), now, started);
    }
    if (!waiting.isEmpty() && rule != Rule.FIFO) {
      fillBehindFirst(now, started);
    }
    nanos += System.nanoTime() - start;
    return new Turn(started, List.of());
  }

  private void fillBehindFirst(long now, List<Job> started) {
    Reservation kept =
        rule == Rule.EASY ? reservation() : new Reservation(Long.MAX_VALUE, Long.MAX_VALUE);
    long extra = kept.extra();
    Iterator<Job> later = waiting.tailSet(waiting.first(), false).iterator();
    while (free > 0 && later.hasNext()) {
      Job job = later.next();
      boolean endsBefore = now + job.runs() <= kept.at();
      if (job.units() <= free && (endsBefore || job.units() <= extra)) {
        later.remove();
        start(job, now, started);
        extra -= endsBefore ? 0 : job.units();
      }
    }
  }

  private Reservation reservation() {
    long needed = waiting.first().units();
    long then = free;
    for (End end : ends) {
      then += end.job().units();
      if (then >= needed) {
        return new Reservation(end.at(), then - needed);
      }
    }
    throw new IllegalStateException("larger than the pool: " + waiting.first());
  }

  private void start(Job job, long now, List<Job> started) {
    free -= job.units();
    ends.add(new End(now + job.runs(), job));
    started.add(job);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.benchmarks.replay.Scheduling.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeSet;

/**
 * Replays jobs in virtual time. At each time at which something happens the jobs that end do so
 * first, then those that come do, and then the scheduling has turns until one does nothing.
 */
final class Replay {

  /** More turns than this at one time: then it does not come to rest. */
  private static final int MOST_TURNS_AT_ONCE = 1000;

  private final List<Job> jobs;
  private final long capacity;
  private final Scheduling scheduling;
  private final TreeSet<Job> waiting = new TreeSet<>(Job.ORDER);
  private final Map<Integer, Long> started = new HashMap<>();
  private final PriorityQueue<End> ends =
      new PriorityQueue<>(
          Comparator.comparingLong(End::at).thenComparingInt(e -> e.job().number()));
  private final List<Double> waits = new ArrayList<>();
  private final List<Double> headDelays = new ArrayList<>();
  private Optional<Job> head = Optional.empty();
  private long headSince;
  private long now;
  private long busy;
  private double busyTime;
  private double waitingTime;
  private double freeWhileWaiting;
  private long turns;
  private long evictions;

  /** An end that was foreseen when the job started; void when it was evicted since. */
  private record End(long at, Job job, long startedAt) {}

  private Replay(List<Job> jobs, long capacity, Scheduling scheduling) {
    this.jobs =
        jobs.stream()
            .sorted(Comparator.comparingLong(Job::submitted).thenComparingInt(Job::number))
            .toList();
    this.capacity = capacity;
    this.scheduling = scheduling;
  }

  /**
   * Replays jobs until all have ended.
   *
   * @param capacity how many units the pool has
   * @throws IllegalStateException when a job never starts, when more is held than there is, or when
   *     the scheduling does not come to rest
   */
  static Outcome run(List<Job> jobs, long capacity, Scheduling scheduling) {
    if (jobs.isEmpty()) {
      throw new IllegalArgumentException("a replay has a job or more");
    }
    return new Replay(jobs, capacity, scheduling).run();
  }

  private Outcome run() {
    long first = jobs.getFirst().submitted();
    long last = jobs.getLast().submitted();
    now = first;
    int next = 0;
    double busyUntilLast = 0;
    while (next < jobs.size() || !ends.isEmpty()) {
      long at = nextTime(next);
      pass(at);
      if (at <= last) {
        busyUntilLast = busyTime;
      }
      endJobs();
      while (next < jobs.size() && jobs.get(next).submitted() == now) {
        Job job = jobs.get(next++);
        waiting.add(job);
        scheduling.submitted(job, now);
      }
      settle();
    }
    if (!waiting.isEmpty()) {
      throw new IllegalStateException(
          "%d jobs never start, the first of them %s".formatted(waiting.size(), waiting.first()));
    }
    return new Outcome(
        jobs.size(),
        Outcome.mean(waits),
        Outcome.p99(waits),
        last == first ? 0 : busyUntilLast / capacity / (last - first),
        waitingTime == 0 ? 0 : freeWhileWaiting / waitingTime / capacity,
        Outcome.mean(headDelays),
        now,
        turns,
        evictions);
  }

  private long nextTime(int next) {
    long submit = next < jobs.size() ? jobs.get(next).submitted() : Long.MAX_VALUE;
    return ends.isEmpty() ? submit : Math.min(submit, ends.element().at());
  }

  /** Lets time go by, in which nothing happens. */
  private void pass(long to) {
    double time = to - now;
    busyTime += busy * time;
    if (!waiting.isEmpty()) {
      waitingTime += time;
      freeWhileWaiting += (capacity - busy) * time;
    }
    now = to;
  }

  private void endJobs() {
    while (!ends.isEmpty() && ends.element().at() == now) {
      End end = ends.remove();
      Job job = end.job();
      if (started.getOrDefault(job.number(), -1L) == end.startedAt()) {
        started.remove(job.number());
        busy -= job.units();
        waits.add((double) (end.startedAt() - job.submitted()));
        scheduling.ended(job, now);
      }
    }
  }

  private void settle() {
    for (int tries = 0; tries < MOST_TURNS_AT_ONCE; tries++) {
      turns++;
      Turn turn = scheduling.turn(now);
      turn.evicted().forEach(this::evict);
      turn.started().forEach(this::start);
      if (turn.nothing()) {
        lookAtHead();
        return;
      }
    }
    throw new IllegalStateException(
        "at %d ms there were %d turns without rest".formatted(now, MOST_TURNS_AT_ONCE));
  }

  private void start(Job job) {
    if (!waiting.remove(job)) {
      throw new IllegalStateException("started, and did not wait: " + job);
    }
    if (head.filter(job::equals).isPresent()) {
      headDelays.add((double) (now - headSince));
    }
    busy += job.units();
    if (busy > capacity) {
      throw new IllegalStateException(
          "%d units are held of %d, the last by %s".formatted(busy, capacity, job));
    }
    started.put(job.number(), now);
    ends.add(new End(now + job.runs(), job, now));
  }

  private void evict(Job job) {
    if (started.remove(job.number()) == null) {
      throw new IllegalStateException("evicted, and did not run: " + job);
    }
    busy -= job.units();
    evictions++;
    waiting.add(job);
  }

  private void lookAtHead() {
    Optional<Job> first = waiting.isEmpty() ? Optional.empty() : Optional.of(waiting.first());
    if (!first.equals(head)) {
      head = first;
      headSince = now;
    }
  }
}

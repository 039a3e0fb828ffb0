// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ObservedWork.Stillness;
import dev.clustered.model.HangPolicy;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Looks now and then whether a rank does anything: whether its log grows, its processes compute and
 * its heartbeat goes on. Tells only when one of the three begins or ends, so that a workload that
 * gets on costs the engine nothing. Used by one thread, ended by any.
 */
final class HangWatch {

  private static final int LOOKS_PER_LIMIT = 20;
  private static final Duration SHORTEST = Duration.ofMillis(200);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private static final int MISSED_LOOKS = 5;

  /** A rank that uses less than this part of one core does not compute. */
  private static final int PART_OF_CORE = 100;

  private final HangPolicy policy;
  private final WorkFiles files;
  private final List<Part> parts;
  private final Wish wish;
  private final Consumer<Stillness> told;
  private final Duration pause;
  private Stillness last = Stillness.NONE;
  private long logSize = -1;
  private Optional<FileTime> beat = Optional.empty();
  private long lastSign;
  private long lastBeat;
  private long lastLook;
  private volatile boolean over;

  /** Processor time used in all until a moment. */
  private record Used(long at, long nanos) {}

  HangWatch(
      HangPolicy policy,
      WorkFiles files,
      List<List<NodeRuntime.Running>> parts,
      Wish wish,
      Consumer<Stillness> told) {
    this.policy = policy;
    this.files = files;
    this.parts = parts.stream().map(Part::new).toList();
    this.wish = wish;
    this.told = told;
    pause = pause(policy);
  }

  /** Looks from now on, until {@link #close}. */
  void start(String name) {
    Thread.ofVirtual().name("clustered-hangs-" + name).start(this::follow);
  }

  /** Nothing is told any more. */
  void close() {
    over = true;
    wish.poke();
  }

  private void follow() {
    begin(System.nanoTime());
    try {
      while (!over) {
        look(System.nanoTime());
        wish.await(() -> over, pause);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Duration pause(HangPolicy policy) {
    Duration limit =
        policy.heartbeat().filter(h -> h.compareTo(policy.silent()) < 0).orElse(policy.silent());
    Duration part = limit.dividedBy(LOOKS_PER_LIMIT);
    Duration least = part.compareTo(SHORTEST) < 0 ? SHORTEST : part;
    return least.compareTo(LONGEST) > 0 ? LONGEST : least;
  }

  private void begin(long now) {
    lastSign = now;
    lastBeat = now;
    lastLook = now;
    parts.forEach(part -> part.used().clear());
  }

  private void look(long now) {
    long stood = Math.max(policy.silent().toNanos() / 2, MISSED_LOOKS * pause.toNanos());
    if (now - lastLook > stood) {
      begin(now); // The whole machine stood still, or this thread did: that is no hang.
    }
    lastLook = now;
    long size = size();
    if (size != logSize) {
      logSize = size;
      lastSign = now;
    }
    Optional<FileTime> seen = modified();
    if (!seen.equals(beat)) {
      beat = seen;
      lastBeat = now;
      lastSign = now;
    }
    Stillness stillness =
        new Stillness(
            Optional.of(Duration.ofNanos(now - lastSign)).filter(this::tooLong),
            idle(now),
            beat.map(time -> Duration.ofNanos(now - lastBeat))
                .filter(age -> policy.heartbeat().filter(l -> age.compareTo(l) > 0).isPresent()));
    if (!stillness.sameAs(last) && !over) {
      last = stillness;
      told.accept(stillness);
    }
  }

  private boolean tooLong(Duration quiet) {
    return quiet.compareTo(policy.silent()) > 0;
  }

  /** The least processor time that a part used within the limit, when that is next to nothing. */
  private Optional<Duration> idle(long now) {
    Optional<Duration> least = Optional.empty();
    for (Part part : parts) {
      Optional<Duration> idle = part.idle(now, policy.silent().toNanos());
      if (idle.isPresent() && least.filter(l -> l.compareTo(idle.get()) <= 0).isEmpty()) {
        least = idle;
      }
    }
    return least;
  }

  /** What processes of the rank used of the processor, looked at together. */
  private record Part(List<NodeRuntime.Running> processes, Deque<Used> used) {

    Part(List<NodeRuntime.Running> processes) {
      this(processes, new ArrayDeque<>());
    }

    /** The processor time used since at least the limit, when that is next to nothing. */
    Optional<Duration> idle(long now, long limit) {
      List<Duration> each =
          processes.stream()
              .filter(process -> !process.end().isDone())
              .flatMap(process -> process.processorTime().stream())
              .toList();
      if (each.isEmpty()) { // Ended, or not to be seen.
        used.clear();
        return Optional.empty();
      }
      used.addLast(new Used(now, each.stream().mapToLong(Duration::toNanos).sum()));
      while (used.size() > 1 && now - second().at() >= limit) {
        Used unused = used.removeFirst();
      }
      long since = used.getFirst().at();
      if (now - since < limit) {
        return Optional.empty();
      }
      long sum = 0;
      long before = used.getFirst().nanos();
      for (Used one : used) {
        sum += Math.max(0, one.nanos() - before); // Falls when a process ends.
        before = one.nanos();
      }
      boolean computed = sum >= (now - since) / PART_OF_CORE;
      return computed ? Optional.empty() : Optional.of(Duration.ofNanos(sum));
    }

    private Used second() {
      return used.stream().skip(1).findFirst().orElseThrow();
    }
  }

  private long size() {
    try {
      return Files.size(files.log());
    } catch (IOException e) {
      return 0;
    }
  }

  private Optional<FileTime> modified() {
    try {
      return Optional.of(Files.getLastModifiedTime(files.heartbeat()));
    } catch (IOException e) {
      return beat; // Not there yet, or taken away: the last one still counts.
    }
  }
}

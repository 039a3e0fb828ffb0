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
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Looks now and then whether a rank does anything: whether its log grows, its processes compute,
 * its heartbeat goes on and its GPUs work. Tells only when one of these begins or ends, so that a
 * workload that gets on costs the engine nothing. Used by one thread, ended by any.
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
  private final GpuWatch gpus;
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
      GpuWatch gpus,
      Wish wish,
      Consumer<Stillness> told) {
    this.policy = policy;
    this.files = files;
    this.parts = parts.stream().map(Part::new).toList();
    this.gpus = gpus;
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
    try (gpus) {
      while (!over) {
        gpus.look();
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
    gpus.begin();
  }

  private void look(long now) {
    long stood = Math.max(policy.silent().toNanos() / 2, MISSED_LOOKS * pause.toNanos());
    if (now - lastLook > stood + gpus.limit().toNanos()) {
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
    Optional<Spent> least = least(now);
    Stillness stillness =
        new Stillness(
            Optional.of(Duration.ofNanos(now - lastSign)).filter(this::tooLong),
            least.filter(Spent::idle).map(Spent::time),
            beat.map(time -> Duration.ofNanos(now - lastBeat))
                .filter(age -> policy.heartbeat().filter(l -> age.compareTo(l) > 0).isPresent()),
            least.filter(spent -> !spent.idle()).map(Spent::time),
            gpus.seen(now, policy.silent()));
    if (!stillness.sameAs(last) && !over) {
      last = stillness;
      told.accept(stillness);
    }
  }

  private boolean tooLong(Duration quiet) {
    return quiet.compareTo(policy.silent()) > 0;
  }

  /** What the part used that used least, an idle one before any other. */
  private Optional<Spent> least(long now) {
    return parts.stream()
        .flatMap(part -> part.spent(now, policy.silent().toNanos()).stream())
        .min(Comparator.comparing((Spent spent) -> !spent.idle()).thenComparing(Spent::time));
  }

  /**
   * Processor time used within the limit, or since the watch began.
   *
   * @param idle whether that is next to nothing, and for the whole limit
   */
  private record Spent(Duration time, boolean idle) {}

  /** What processes of the rank used of the processor, looked at together. */
  private record Part(List<NodeRuntime.Running> processes, Deque<Used> used) {

    Part(List<NodeRuntime.Running> processes) {
      this(processes, new ArrayDeque<>());
    }

    /** Empty where it has ended, or cannot be seen. */
    Optional<Spent> spent(long now, long limit) {
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
      long sum = 0;
      long before = used.getFirst().nanos();
      for (Used one : used) {
        sum += Math.max(0, one.nanos() - before); // Falls when a process ends.
        before = one.nanos();
      }
      boolean idle = now - since >= limit && sum < (now - since) / PART_OF_CORE;
      return Optional.of(new Spent(Duration.ofNanos(sum), idle));
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

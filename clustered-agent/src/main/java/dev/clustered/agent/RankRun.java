// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One workload from its start until nothing of it is left. The end of its first process is told at
 * once, from the thread that learns of it, because the whole cluster waits for the verdict.
 */
final class RankRun {

  /** For the stacks of a hung rank, before it is ended. */
  private static final Duration STACKS_LIMIT = Duration.ofSeconds(3);

  /** For what a rank leaves behind when it ends by itself. */
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(2);

  private final NodeRuntime.Running running;
  private final Wish wish;
  private final NoticeBoard notices;
  private final InstantSource clock;
  private final CompletableFuture<Status.Exited> exited;
  private final CompletableFuture<Void> woken;
  private final List<CompletableFuture<Void>> terminations = new ArrayList<>();
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private volatile boolean ending;

  /**
   * Starts it.
   *
   * @param status is told of each change
   */
  RankRun(
      NodeRuntime runtime,
      NodeRuntime.Work work,
      Wish wish,
      NoticeBoard notices,
      InstantSource clock,
      Consumer<Status> status) {
    this.wish = wish;
    this.notices = notices;
    this.clock = clock;
    running = runtime.start(work);
    if (!notStarted(running.end())) {
      status.accept(new Status.Running(running.processId()));
    }
    // Told before the future is done: whoever waits for it may tell of something later.
    exited =
        running
            .end()
            .thenApply(
                end -> {
                  Status.Exited exit =
                      new Status.Exited(end, clock.instant(), ending, running.outOfMemory());
                  status.accept(exit);
                  return exit;
                });
    woken = exited.thenRun(wish::poke);
  }

  /** The workload itself. */
  NodeRuntime.Running workload() {
    return running;
  }

  /**
   * Starts a command beside it.
   *
   * @throws IllegalStateException when it is ending or has ended
   * @throws UnsupportedOperationException when the runtime cannot do it
   */
  NodeRuntime.RunningExec exec(NodeRuntime.Exec exec) {
    return running.exec(exec);
  }

  /**
   * Done once it has ended, or is being ended, with all that runs beside it. Never a copy: each
   * would be kept for as long as the rank runs.
   */
  CompletableFuture<Void> over() {
    return over;
  }

  /** Waits for the end, brings it about when it is wanted, and returns when nothing is left. */
  Status.Exited finish() throws InterruptedException {
    wish.await(() -> exited.isDone() || wish.ending().isPresent());
    Duration grace = LEFTOVER_GRACE;
    if (!exited.isDone()) {
      ending = true;
      dumpStacks();
      grace = wish.ending().orElse(LEFTOVER_GRACE);
      notices.stopping(clock.instant(), grace);
    }
    over.complete(null);
    terminate(grace);
    while (!nothingLeft()) {
      Duration asked = grace;
      wish.await(() -> nothingLeft() || shorterThan(asked).isPresent());
      Optional<Duration> shorter = shorterThan(asked);
      if (shorter.isPresent()) {
        grace = shorter.get();
        terminate(grace);
      }
    }
    woken.join();
    return exited.join();
  }

  /** While its processes are as they hung. */
  private void dumpStacks() throws InterruptedException {
    Optional<String> hung = wish.desired().hung();
    if (hung.isEmpty() || wish.dropped()) {
      return;
    }
    CompletableFuture<Void> dumped = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .name("clustered-stacks-" + running.processId())
            .start(
                () -> {
                  try {
                    running.dumpStacks(hung.get(), STACKS_LIMIT);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  } finally {
                    dumped.complete(null);
                    wish.poke();
                  }
                });
    wish.await(dumped::isDone, STACKS_LIMIT);
    thread.interrupt();
  }

  private Optional<Duration> shorterThan(Duration grace) {
    return wish.ending().filter(asked -> asked.compareTo(grace) < 0);
  }

  // Any one that is over is enough: each returns only when nothing is left.
  private boolean nothingLeft() {
    return terminations.stream().anyMatch(CompletableFuture::isDone);
  }

  // On a thread of its own, so that a shorter grace can still be asked for meanwhile.
  private void terminate(Duration grace) {
    CompletableFuture<Void> terminated = new CompletableFuture<>();
    terminations.add(terminated);
    Thread.ofVirtual()
        .name("clustered-terminate-" + running.processId())
        .start(
            () -> {
              try {
                running.terminate(grace);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } finally {
                terminated.complete(null);
                wish.poke();
              }
            });
  }

  private static boolean notStarted(CompletableFuture<ProcessEnd> end) {
    return end.isDone() && end.join() instanceof ProcessEnd.NotStarted;
  }
}

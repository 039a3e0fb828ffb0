// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import dev.clustered.spi.NodeRuntime.Running;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One workload from its start until nothing of it is left. How it ends is told at once, from the
 * thread that learns of it, because the whole cluster waits for the verdict: the first of its
 * processes that fails fails the rank, and it succeeds when all of them have.
 */
final class RankRun {

  /** For the stacks of a hung rank, before it is ended. */
  private static final Duration STACKS_LIMIT = Duration.ofSeconds(3);

  /** For what a rank leaves behind when it ends by itself. */
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(2);

  private static final ProcessEnd LEFT_ALONE =
      new ProcessEnd.Unknown("what was started beside the command ended before it");

  /**
   * What is to be run.
   *
   * @param processes one or more
   * @param companion is started before them and ended after them; that it ends earlier fails the
   *     rank
   * @param called what they call, which only has to be there
   */
  record Works(
      List<NodeRuntime.Work> processes,
      Optional<NodeRuntime.Work> companion,
      List<NodeRuntime.Work> called) {}

  /** Who is told of what happens. */
  interface Listener {

    /** A change of the status; on any thread. */
    void changed(Status status);

    /** The first of several processes that fails, by its number; before the status says so. */
    void failed(int process, ProcessEnd end);

    /** The processes are about to be asked to end. */
    void stopping(Duration grace);

    /** The processes are over, so that what stands beside them is to end by itself. */
    void over();
  }

  private final Wish wish;
  private final Listener listener;
  private final List<Running> processes = new ArrayList<>();
  private final Optional<Running> companion;
  private final CompletableFuture<Status.Exited> exited;
  private final CompletableFuture<Void> woken;
  private final List<CompletableFuture<Void>> terminations = new ArrayList<>();
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private volatile boolean ending;

  /** Starts it. */
  RankRun(NodeRuntime runtime, Works works, Wish wish, InstantSource clock, Listener listener) {
    this.wish = wish;
    this.listener = listener;
    Optional<ProcessEnd.NotStarted> missing =
        works.called().stream().flatMap(called -> runtime.missing(called).stream()).findFirst();
    companion = missing.isPresent() ? Optional.empty() : works.companion().map(runtime::start);
    if (missing.isPresent()) {
      processes.add(new NeverStarted(missing.get()));
    } else if (companion.filter(RankRun::notStarted).isEmpty()) {
      start(runtime, works.processes());
    }
    if (running().stream().noneMatch(RankRun::notStarted)) {
      listener.changed(new Status.Running(processes.getFirst().processId()));
    }
    // Told before the future is done: whoever waits for it may tell of something later.
    exited =
        ended()
            .thenApply(
                end -> {
                  Status.Exited exit =
                      new Status.Exited(end, clock.instant(), ending, outOfMemory());
                  listener.changed(exit);
                  return exit;
                });
    woken = exited.thenRun(wish::poke);
  }

  /**
   * Its processes in parts each of which does something while the rank does: every process of its
   * own, or all together where one beside them may work for them.
   */
  List<List<Running>> parts() {
    return companion.isPresent() ? List.of(running()) : processes.stream().map(List::of).toList();
  }

  /**
   * Starts a command beside it.
   *
   * @throws IllegalStateException when it is ending or has ended
   * @throws UnsupportedOperationException when the runtime cannot do it
   */
  NodeRuntime.RunningExec exec(NodeRuntime.Exec exec) {
    return processes.getFirst().exec(exec);
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
    Duration grace = atWork() ? wish.desired().grace() : LEFTOVER_GRACE;
    if (!exited.isDone()) {
      ending = true;
      dumpStacks();
      grace = wish.ending().orElse(LEFTOVER_GRACE);
      listener.stopping(grace);
    }
    over.complete(null);
    terminate(processes, grace);
    while (!nothingLeft()) {
      Duration asked = grace;
      wish.await(() -> nothingLeft() || shorterThan(asked).isPresent());
      Optional<Duration> shorter = shorterThan(asked);
      if (shorter.isPresent()) {
        grace = shorter.get();
        terminate(processes, grace);
      }
    }
    endCompanion();
    woken.join();
    return exited.join();
  }

  /** While its processes are as they hung. */
  private void dumpStacks() throws InterruptedException {
    Optional<String> hung = wish.desired().hung();
    if (hung.isEmpty() || wish.dropped()) {
      return;
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(
            running().stream()
                .filter(running -> !running.end().isDone())
                .map(running -> dumpStacks(running, hung.get()))
                .toArray(CompletableFuture<?>[]::new));
    wish.await(all::isDone, STACKS_LIMIT);
  }

  private CompletableFuture<Void> dumpStacks(Running running, String why) {
    CompletableFuture<Void> dumped = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("clustered-stacks-" + running.processId())
        .start(
            () -> {
              try {
                running.dumpStacks(why, STACKS_LIMIT);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } finally {
                dumped.complete(null);
                wish.poke();
              }
            });
    return dumped;
  }

  /** The first that does not start is the last that is tried. */
  private void start(NodeRuntime runtime, List<NodeRuntime.Work> works) {
    for (NodeRuntime.Work work : works) {
      Running running = start(runtime, work);
      processes.add(running);
      if (notStarted(running)) {
        return;
      }
    }
  }

  // What runs already must not outlive the failure, which nobody else learns of.
  private Running start(NodeRuntime runtime, NodeRuntime.Work work) {
    try {
      return runtime.start(work);
    } catch (RuntimeException e) {
      running().forEach(RankRun::endNow);
      throw e;
    }
  }

  private List<Running> running() {
    List<Running> all = new ArrayList<>(processes);
    companion.ifPresent(all::add);
    return all;
  }

  private CompletableFuture<ProcessEnd> ended() {
    CompletableFuture<ProcessEnd> end = new CompletableFuture<>();
    for (int i = 0; i < processes.size(); i++) {
      int process = i;
      CompletableFuture<Void> unused =
          processes.get(i).end().thenAccept(how -> ended(process, how, end));
    }
    companion.ifPresent(
        beside -> {
          CompletableFuture<Void> unused =
              beside.end().thenAccept(how -> end.complete(how.success() ? LEFT_ALONE : how));
        });
    return end;
  }

  private void ended(int process, ProcessEnd how, CompletableFuture<ProcessEnd> end) {
    if (!how.success()) {
      if (processes.size() > 1 && !ending && !end.isDone()) {
        listener.failed(process, how);
      }
      end.complete(how);
    } else if (!atWork()) {
      end.complete(how);
    }
  }

  /** Whether one of the processes has not ended yet. */
  private boolean atWork() {
    return processes.stream().anyMatch(running -> !running.end().isDone());
  }

  private Optional<OutOfMemory> outOfMemory() {
    return running().stream().flatMap(running -> running.outOfMemory().stream()).findFirst();
  }

  private void endCompanion() throws InterruptedException {
    if (companion.isPresent() && wish.ending().isEmpty()) {
      listener.over();
      CompletableFuture<ProcessEnd> end = companion.get().end();
      CompletableFuture<Void> unused = end.thenRun(wish::poke);
      wish.await(() -> end.isDone() || wish.ending().isPresent(), wish.desired().grace());
    }
    terminations.clear();
    terminate(companion.stream().toList(), LEFTOVER_GRACE);
    wish.await(this::nothingLeft);
  }

  private Optional<Duration> shorterThan(Duration grace) {
    return wish.ending().filter(asked -> asked.compareTo(grace) < 0);
  }

  // Any one that is over is enough: each returns only when nothing is left.
  private boolean nothingLeft() {
    return terminations.stream().anyMatch(CompletableFuture::isDone);
  }

  private void terminate(List<Running> all, Duration grace) {
    terminations.add(
        CompletableFuture.allOf(
            all.stream()
                .map(running -> terminate(running, grace))
                .toArray(CompletableFuture<?>[]::new)));
  }

  // On a thread of its own, so that a shorter grace can still be asked for meanwhile.
  private CompletableFuture<Void> terminate(Running running, Duration grace) {
    CompletableFuture<Void> terminated = new CompletableFuture<>();
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
    return terminated;
  }

  private static void endNow(Running running) {
    try {
      running.terminate(Duration.ZERO);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean notStarted(Running running) {
    CompletableFuture<ProcessEnd> end = running.end();
    return end.isDone() && end.join() instanceof ProcessEnd.NotStarted;
  }
}

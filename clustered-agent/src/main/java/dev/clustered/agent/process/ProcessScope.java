// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import dev.clustered.model.OutOfMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Processes that are ended together, with everything they have started in turn. Between {@link
 * #terminate} and {@link #close} a scope can be used again. Thread-safe.
 */
public final class ProcessScope implements AutoCloseable {
  private final String id;
  private final Launcher launcher;
  private final InstantSource clock;
  private final Optional<Cgroup> cgroup;
  private final ScopeEnd end;
  private final Runnable onClose;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<RankProcess> processes = new ArrayList<>();
  private @Nullable Ending ending;
  private boolean closed;

  ProcessScope(
      String id,
      Launcher launcher,
      InstantSource clock,
      Optional<Cgroup> cgroup,
      ScopeEnd end,
      Runnable onClose) {
    this.id = id;
    this.launcher = launcher;
    this.clock = clock;
    this.cgroup = cgroup;
    this.end = end;
    this.onClose = onClose;
  }

  /** The id that every process finds in CLUSTERED_SCOPE. */
  public String id() {
    return id;
  }

  /**
   * Starts a process in this scope.
   *
   * @throws IllegalStateException while the scope is being terminated, and once it is closed
   */
  public StartResult start(ProcessSpec spec) {
    return start(launcher::launch, spec);
  }

  /** The same with streams of the caller's, who closes them. */
  StartResult start(ProcessSpec spec, Spawn.Streams streams) {
    return start(marked -> launcher.launch(marked, streams), spec);
  }

  private StartResult start(Function<ProcessSpec, Launcher.Result> launch, ProcessSpec spec) {
    ProcessSpec marked = spec.withVariable(ProcessTable.MARKER, id);
    lock.lock();
    try {
      if (closed || ending != null) {
        throw new IllegalStateException(
            "Process scope " + id + " is ending or closed. Start processes in another scope.");
      }
      processes.removeIf(process -> !process.running());
      return switch (launch.apply(marked)) {
        case Launcher.Result.Failed failed -> new StartResult.NotStarted(failed.failure());
        case Launcher.Result.Launched launched -> started(launched.pid());
      };
    } finally {
      lock.unlock();
    }
  }

  /**
   * A part of this scope, which can also be ended alone.
   *
   * @param part letters, digits and hyphens; unique on this machine
   */
  public ScopePart part(String part) {
    return new ScopePart(part, this, end.ofPart(part));
  }

  /** Nothing is left of what a process of a part has started. */
  void forget(RankProcess process) {
    lock.lock();
    try {
      boolean unused = processes.remove(process);
    } finally {
      lock.unlock();
    }
    end.removeSession(process.pid());
  }

  /** The processes of this scope that have not ended, in the order of their start. */
  public List<RankProcess> running() {
    lock.lock();
    try {
      return processes.stream().filter(RankProcess::running).toList();
    } finally {
      lock.unlock();
    }
  }

  /** What the kernel says of a lack of memory in this scope; nothing once it is closed. */
  public Optional<OutOfMemory> outOfMemory() {
    return cgroup.flatMap(Cgroup::outOfMemory);
  }

  /** The processor time of all processes so far; may fall when one ends. */
  public Optional<Duration> processorTime() {
    return cgroup
        .flatMap(Cgroup::processorTime)
        .or(() -> Optional.of(ProcessorTime.of(end.members(running()))));
  }

  /**
   * Appends the stack of each process to a log, as far as it can be had, and returns after the
   * limit at the latest. Python ends by it where it can be had no other way.
   *
   * @param why what the first line of it says
   */
  public void dumpStacks(Path log, String why, Duration limit) throws InterruptedException {
    new StackDump(id, log, limit).write(why, end.members(running()));
  }

  /**
   * Ends every process of the scope: SIGTERM to all at once, SIGKILL to what is left after the
   * grace. Returns when nothing is left. Of concurrent calls the shortest grace counts; an
   * interrupt ends the grace, and the thread returns interrupted.
   */
  public void terminate(Duration grace) {
    if (grace.isNegative()) {
      throw new IllegalArgumentException("The grace " + grace + " is negative. Give at least 0.");
    }
    Ending mine = new Ending(grace);
    Ending other = join(mine, grace);
    if (other == null) {
      run(mine);
    } else {
      await(other);
    }
  }

  /** Ends what still runs without grace, and gives up what the scope holds. Idempotent. */
  @Override
  public void close() {
    boolean first = markClosed();
    terminate(Duration.ZERO);
    if (first) {
      cgroup.ifPresent(Cgroup::remove);
      onClose.run();
    }
  }

  /** Whether this call is the one that closes; from it on nothing is started any more. */
  private boolean markClosed() {
    lock.lock();
    try {
      boolean first = !closed;
      closed = true;
      return first;
    } finally {
      lock.unlock();
    }
  }

  private StartResult started(int pid) {
    end.addSession(pid);
    // Moving takes the kernel milliseconds, so the starting thread does not wait for it.
    RankProcess process =
        RankProcess.watch(pid, clock.instant(), () -> cgroup.ifPresent(group -> group.adopt(pid)));
    processes.add(process);
    return new StartResult.Started(process);
  }

  private @Nullable Ending join(Ending mine, Duration grace) {
    lock.lock();
    try {
      Ending other = ending;
      if (other == null) {
        ending = mine;
      } else {
        other.hasten(grace);
      }
      return other;
    } finally {
      lock.unlock();
    }
  }

  private void run(Ending mine) {
    try {
      end.run(List.copyOf(processes), mine);
    } finally {
      lock.lock();
      try {
        processes.clear();
        ending = null;
      } finally {
        lock.unlock();
      }
      mine.finish();
    }
  }

  private static void await(Ending other) {
    boolean interrupted = false;
    while (true) {
      try {
        other.awaitFinish();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
        other.hasten(Duration.ZERO);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

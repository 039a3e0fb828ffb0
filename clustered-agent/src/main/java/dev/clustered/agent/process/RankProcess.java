// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A running or ended child process that leads a session and a process group of its own.
 * Thread-safe.
 */
public final class RankProcess {
  private static final long STACK_BYTES = 256 * 1024;

  private final int pid;
  private final Instant startedAt;
  private final CompletableFuture<ProcessExit> exit = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();
  private boolean reaped;

  private RankProcess(int pid, Instant startedAt) {
    this.pid = pid;
    this.startedAt = startedAt;
  }

  /**
   * Waits for a child just spawned, on a thread of its own.
   *
   * @param beforeWaiting runs first on that thread, while the pid is certain to be the child's
   */
  static RankProcess watch(int pid, Instant startedAt, Runnable beforeWaiting) {
    RankProcess process = new RankProcess(pid, startedAt);
    try {
      Thread.ofPlatform()
          .name("clustered-wait-" + pid)
          .daemon()
          .inheritInheritableThreadLocals(false)
          .stackSize(STACK_BYTES)
          .start(() -> process.await(beforeWaiting));
    } catch (OutOfMemoryError e) {
      // No thread to be had: a process that nobody waits for must not stay.
      process.signal(LibC.SIGKILL);
      process.await(() -> {});
      throw e;
    }
    return process;
  }

  /** The process id, which is also that of its process group and session. */
  public int pid() {
    return pid;
  }

  /** When it was started, by the supervisor's clock. */
  public Instant startedAt() {
    return startedAt;
  }

  /**
   * How the process ends. The future completes on a thread of this package, or exceptionally when
   * something else in this JVM took the exit.
   */
  public CompletableFuture<ProcessExit> exit() {
    return exit.copy();
  }

  /** Whether the process has not ended yet. */
  public boolean running() {
    return !exit.isDone();
  }

  /**
   * Sends a signal to the process group, unless the process was waited for already: from then on
   * its number may be another's.
   *
   * @return whether the signal was sent
   */
  public boolean signal(int number) {
    lock.lock();
    try {
      return !reaped && LibC.kill(-pid, number) == 0;
    } finally {
      lock.unlock();
    }
  }

  private void await(Runnable beforeWaiting) {
    try {
      beforeWaiting.run();
      ProcessExit ended = Wait.untilEnded(pid);
      reap();
      exit.complete(ended);
    } catch (RuntimeException e) {
      reap();
      exit.completeExceptionally(e);
    }
  }

  private void reap() {
    lock.lock();
    try {
      reaped = true;
      Wait.reap(pid);
    } finally {
      lock.unlock();
    }
  }
}

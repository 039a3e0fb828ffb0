// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Native;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Adopts processes whose parents have ended, and waits for them, so that none stays a zombie. For
 * an agent with a JVM of its own; a host program's JVM keeps its own ways. Thread-safe.
 */
public final class OrphanReaper implements AutoCloseable {
  private static final int SELF = Math.toIntExact(ProcessHandle.current().pid());
  private static final Duration PERIOD = Duration.ofMillis(500);

  private final Thread thread;
  private volatile boolean closed;

  /** Start ticks by pid of the zombies that were there one period ago. */
  private Map<Integer, Long> before = new LinkedHashMap<>();

  private OrphanReaper() {
    thread =
        Thread.ofPlatform().name("clustered-orphans").daemon().unstarted(this::reapUntilClosed);
  }

  /**
   * Makes this JVM the one that orphans below it go to.
   *
   * @throws IllegalStateException when the kernel refuses
   */
  public static OrphanReaper open() {
    if (LibC.prctl(LibC.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
      throw new IllegalStateException(
          "Becoming the reaper of orphans failed: " + LibC.strerror(Native.getLastError()));
    }
    OrphanReaper reaper = new OrphanReaper();
    reaper.thread.start();
    return reaper;
  }

  /** Adopts no more and stops waiting. Idempotent. */
  @Override
  public void close() {
    closed = true;
    LibC.prctl(LibC.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void reapUntilClosed() {
    while (!closed) {
      reap();
      LockSupport.parkNanos(PERIOD.toNanos());
    }
  }

  // Whoever started a child waits for it at once. One that has been a zombie for a whole period
  // has nobody but us.
  private void reap() {
    Map<Integer, Long> now = new LinkedHashMap<>();
    if (Wait.anyEnded()) {
      for (ProcessEntry entry : ProcessTable.read().entries().values()) {
        if (entry.zombie() && entry.parent() == SELF) {
          now.put(entry.pid(), entry.startTicks());
        }
      }
    }
    now.forEach(
        (pid, startTicks) -> {
          if (startTicks.equals(before.get(pid))) {
            Wait.reap(pid);
          }
        });
    before = now;
  }
}

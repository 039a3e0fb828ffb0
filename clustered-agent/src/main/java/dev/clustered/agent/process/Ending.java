// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** One ending of a scope that several callers may await and each may hasten. Thread-safe. */
final class Ending {
  /** Keeps a grace of centuries from overflowing the nanosecond count. */
  private static final Duration LONGEST = Duration.ofDays(1000);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final CountDownLatch done = new CountDownLatch(1);
  private long deadline;
  private long changes;

  Ending(Duration grace) {
    deadline = deadlineOf(grace);
  }

  /** Shortens the grace if the given one ends sooner. */
  void hasten(Duration grace) {
    long sooner = deadlineOf(grace);
    lock.lock();
    try {
      if (sooner - deadline < 0) {
        deadline = sooner;
      }
      changes++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Wakes the one that waits, because a process has ended. */
  void wake() {
    lock.lock();
    try {
      changes++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean graceOver() {
    lock.lock();
    try {
      return deadline - System.nanoTime() <= 0;
    } finally {
      lock.unlock();
    }
  }

  /** Counts what happened so far; taken before looking, it makes no change go unnoticed. */
  long changes() {
    lock.lock();
    try {
      return changes;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a change after the known ones, the end of the grace or the time given. */
  @SuppressWarnings("WaitNotInLoop")
  void pause(long known, long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = Math.min(nanos, deadline - System.nanoTime());
      if (changes == known && left > 0) {
        // Waking early is harmless: whoever pauses looks again.
        changed.await(left, TimeUnit.NANOSECONDS);
      }
    } finally {
      lock.unlock();
    }
  }

  void finish() {
    done.countDown();
  }

  void awaitFinish() throws InterruptedException {
    done.await();
  }

  private static long deadlineOf(Duration grace) {
    return System.nanoTime() + (grace.compareTo(LONGEST) > 0 ? LONGEST : grace).toNanos();
  }
}

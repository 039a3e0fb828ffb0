// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.DesiredWork.Step;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * What is wanted of one work, and where its threads wait for that to change. It only ever goes
 * forward: a step is never taken back. Thread-safe.
 */
final class Wish {

  private enum Interest {
    /** The engine wants to know of it. */
    WANTED,
    /** It is to end and to be deleted; nobody asks for its log or its result. */
    DROPPED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private DesiredWork desired;
  private Interest interest = Interest.WANTED;
  private Duration droppedGrace = Duration.ZERO;

  Wish(DesiredWork desired) {
    this.desired = desired;
  }

  void update(DesiredWork newer) {
    change(
        () -> {
          if (newer.step().compareTo(desired.step()) >= 0) {
            desired = newer;
          }
        });
  }

  /** It is to end with the grace last given for it. */
  void drop() {
    drop(desired().grace());
  }

  /** It is to end with this grace, or a shorter one asked for before. */
  void drop(Duration grace) {
    change(
        () -> {
          droppedGrace = dropped() ? shorter(droppedGrace, grace) : grace;
          interest = Interest.DROPPED;
        });
  }

  /** Something that a thread waits for has happened elsewhere. */
  void poke() {
    change(() -> {});
  }

  DesiredWork desired() {
    lock.lock();
    try {
      return desired;
    } finally {
      lock.unlock();
    }
  }

  boolean dropped() {
    lock.lock();
    try {
      return interest == Interest.DROPPED;
    } finally {
      lock.unlock();
    }
  }

  /** The grace with which it is to end; empty while it is to go on. */
  Optional<Duration> ending() {
    lock.lock();
    try {
      boolean stopping = desired.step() == Step.STOP;
      if (interest == Interest.DROPPED) {
        return Optional.of(stopping ? shorter(desired.grace(), droppedGrace) : droppedGrace);
      }
      return stopping ? Optional.of(desired.grace()) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a step; false when the work is to end instead. */
  boolean reached(Step step) throws InterruptedException {
    await(() -> ending().isPresent() || desired.step().compareTo(step) >= 0);
    return ending().isEmpty();
  }

  void await(BooleanSupplier condition) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!condition.getAsBoolean()) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for at most a time. */
  void await(BooleanSupplier condition, Duration limit) throws InterruptedException {
    long left = limit.toNanos();
    lock.lockInterruptibly();
    try {
      while (!condition.getAsBoolean() && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}

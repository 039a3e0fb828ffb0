// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;

/** Messages that are due at a time, by a monotonic clock. Owned by the loop's thread. */
final class Timers {

  private final PriorityQueue<Timer> queue = new PriorityQueue<>();
  private final LongSupplier nanoTime;
  private final long origin;
  private long sequence;

  private record Timer(long dueNanos, long sequence, Message message) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(dueNanos, other.dueNanos);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  Timers(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.origin = nanoTime.getAsLong();
  }

  void after(Duration delay, Message message) {
    long nanos =
        delay.compareTo(Duration.ofDays(36_500)) > 0 ? Long.MAX_VALUE / 4 : delay.toNanos();
    queue.add(new Timer(elapsed() + nanos, sequence++, message));
  }

  /** Nanoseconds until the next message is due; empty without one. */
  Optional<Long> untilNext() {
    Timer next = queue.peek();
    return next == null ? Optional.empty() : Optional.of(Math.max(0, next.dueNanos - elapsed()));
  }

  /** The next message that is due now. */
  Optional<Message> due() {
    Timer next = queue.peek();
    if (next == null || next.dueNanos > elapsed()) {
      return Optional.empty();
    }
    queue.remove();
    return Optional.of(next.message);
  }

  private long elapsed() {
    return nanoTime.getAsLong() - origin;
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.PriorityQueue;

/** Time that passes when nothing is left to be done now. Not thread-safe. */
final class SimulatedTime implements InstantSource {

  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nanos;
  private long sequence;

  private record Event(long due, long sequence, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  /** Does something later. */
  void after(Duration delay, Runnable action) {
    events.add(new Event(nanos + delay.toNanos(), sequence++, action));
  }

  /** Nanoseconds since the begin. */
  long nanos() {
    return nanos;
  }

  @Override
  public Instant instant() {
    return BEGIN.plusNanos(nanos);
  }

  /** Nanoseconds until the next event; the longest there are without one. */
  long untilNext() {
    return events.isEmpty() ? Long.MAX_VALUE : events.peek().due - nanos;
  }

  void pass(long some) {
    nanos += some;
  }

  /** Does what is due. */
  void doDue() {
    while (!events.isEmpty() && events.peek().due <= nanos) {
      events.remove().action.run();
    }
  }
}

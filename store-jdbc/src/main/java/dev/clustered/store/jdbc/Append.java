// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * One caller's events on their way into the journal. The caller waits in {@link #await}; another
 * thread writes the events, or makes the caller the one that writes for all.
 */
final class Append {

  /** How far it is. */
  enum State {
    WAITING,
    LEADING,
    ENDED
  }

  private final long epoch;
  private final List<String> events;
  private final long characters;
  private final Thread caller = Thread.currentThread();
  private volatile State state = State.WAITING;
  private Supplier<Long> result =
      () -> {
        throw new IllegalStateException("nobody wrote the events");
      };

  Append(long epoch, List<String> events) {
    this.epoch = epoch;
    this.events = List.copyOf(events);
    this.characters = this.events.stream().mapToLong(String::length).sum();
  }

  long epoch() {
    return epoch;
  }

  List<String> events() {
    return events;
  }

  long characters() {
    return characters;
  }

  /** Waits until it leads or has ended; an interrupt stays set. */
  State await() {
    boolean interrupted = false;
    while (state == State.WAITING) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      caller.interrupt();
    }
    return state;
  }

  /** The caller is to write what waits. */
  void lead() {
    state = State.LEADING;
    LockSupport.unpark(caller);
  }

  /**
   * The events were written or refused.
   *
   * @param outcome gives the position of the last event, or throws, in the caller's thread
   */
  void end(Supplier<Long> outcome) {
    result = outcome;
    state = State.ENDED;
    LockSupport.unpark(caller);
  }

  boolean ended() {
    return state == State.ENDED;
  }

  long result() {
    return result.get();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Appends that come while a commit is under way are committed together by the next one. There is no
 * thread for it: one of the callers writes for all that wait, then hands on to the first of those
 * that came meanwhile. Thread-safe.
 */
final class GroupCommit {

  /** Together they stay far below what a database takes in one transaction. */
  private static final long MOST_CHARACTERS = 16L << 20;

  private final Consumer<List<Append>> writer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Append> waiting = new ArrayDeque<>();
  private boolean busy;

  /** Gives groups to a writer, which ends each append of the group. */
  GroupCommit(Consumer<List<Append>> writer) {
    this.writer = writer;
  }

  /** Returns when the events are committed, or throws what the writer says. */
  long append(Append mine) {
    if (enqueue(mine) || mine.await() == Append.State.LEADING) {
      lead();
    }
    return mine.result();
  }

  /** Whether the caller has to write. */
  private boolean enqueue(Append mine) {
    lock.lock();
    try {
      waiting.addLast(mine);
      boolean leads = !busy;
      busy = true;
      return leads;
    } finally {
      lock.unlock();
    }
  }

  private void lead() {
    List<Append> group = nextGroup();
    try {
      writer.accept(group);
    } catch (RuntimeException | Error e) {
      group.stream()
          .filter(append -> !append.ended())
          .forEach(
              append ->
                  append.end(
                      () -> {
                        throw new IllegalStateException("the writer of the journal failed", e);
                      }));
      throw e;
    } finally {
      handOn();
    }
  }

  private List<Append> nextGroup() {
    List<Append> group = new ArrayList<>();
    lock.lock();
    try {
      long characters = 0;
      for (Append next = waiting.peek(); next != null; next = waiting.peek()) {
        characters += next.characters();
        if (!group.isEmpty() && characters > MOST_CHARACTERS) {
          break;
        }
        group.add(waiting.remove());
      }
    } finally {
      lock.unlock();
    }
    return group;
  }

  private void handOn() {
    lock.lock();
    try {
      Append next = waiting.peek();
      if (next == null) {
        busy = false;
      } else {
        next.lead();
      }
    } finally {
      lock.unlock();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.DesiredState;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.ObservedState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The works of a node, brought in line with the newest desired state. Work that is wanted again
 * while it is being deleted starts anew when the deletion is done. Thread-safe.
 */
final class WorkTable {

  private final Function<DesiredWork, AgentWork> starter;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition emptied = lock.newCondition();
  private final SortedMap<WorkKey, AgentWork> works = new TreeMap<>();
  private DesiredState desired = new DesiredState(0, List.of());
  private boolean ending;

  WorkTable(Function<DesiredWork, AgentWork> starter) {
    this.starter = starter;
  }

  long generation() {
    lock.lock();
    try {
      return desired.generation();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a desired state, unless a newer one is known; whether it did. */
  boolean apply(DesiredState newer) {
    lock.lock();
    try {
      boolean taken = newer.generation() > desired.generation();
      if (taken) {
        desired = newer;
        reconcile();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  Optional<AgentWork> find(WorkKey key) {
    lock.lock();
    try {
      return Optional.ofNullable(works.get(key));
    } finally {
      lock.unlock();
    }
  }

  /** Removes a work of which nothing is left. */
  void remove(AgentWork work) {
    lock.lock();
    try {
      works.remove(work.key());
      reconcile();
      if (works.isEmpty()) {
        emptied.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  ObservedState observed(long sequence) {
    lock.lock();
    try {
      return new ObservedState(
          sequence,
          desired.generation(),
          works.values().stream().map(AgentWork::observed).toList());
    } finally {
      lock.unlock();
    }
  }

  /** Starts ending all works, each with this grace or else its own, and takes no new one. */
  void end(Optional<Duration> grace) {
    lock.lock();
    try {
      ending = true;
      works.values().forEach(work -> grace.ifPresentOrElse(work.wish()::drop, work.wish()::drop));
    } finally {
      lock.unlock();
    }
  }

  /** Whether there is work that may run on without an engine; all other is ended where there is. */
  boolean worksAlone() {
    lock.lock();
    try {
      boolean any = works.values().stream().anyMatch(AgentWork::runsAlone);
      if (any) {
        works.values().stream()
            .filter(work -> !work.runsAlone())
            .forEach(work -> work.wish().drop());
      }
      return any;
    } finally {
      lock.unlock();
    }
  }

  void awaitEmpty() {
    lock.lock();
    try {
      while (!works.isEmpty()) {
        emptied.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void reconcile() {
    if (ending) {
      return;
    }
    SortedMap<WorkKey, DesiredWork> wanted = new TreeMap<>();
    desired.work().forEach(work -> wanted.put(WorkKey.of(work), work));
    works.forEach(
        (key, work) -> {
          if (!wanted.containsKey(key)) {
            work.wish().drop();
          }
        });
    wanted.forEach(this::bring);
  }

  private void bring(WorkKey key, DesiredWork wanted) {
    AgentWork work = works.get(key);
    if (work == null) {
      works.put(key, starter.apply(wanted));
    } else {
      work.wish().update(wanted);
    }
  }
}

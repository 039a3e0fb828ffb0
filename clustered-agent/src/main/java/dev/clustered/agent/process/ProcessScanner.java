// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** Reads /proc for whoever asks, once for all who ask while a pass is running. Thread-safe. */
final class ProcessScanner {
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong started = new AtomicLong();
  private long latestNumber;
  private ProcessTable latest = new ProcessTable(Map.of());

  /** What /proc shows in a pass that began after this call. */
  ProcessTable scan() {
    long arrival = started.get();
    lock.lock();
    try {
      if (latestNumber <= arrival) {
        latestNumber = started.incrementAndGet();
        latest = ProcessTable.read();
      }
      return latest;
    } finally {
      lock.unlock();
    }
  }

  /** How many passes there were. */
  long passes() {
    return started.get();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The journal in memory: kept as long as the engine, and only its newest part, because nobody can
 * read it after the engine's end. Thread-safe.
 */
public final class MemoryStore implements StateStore {

  /** Enough to look at what just happened; a bound so that an engine may run for years. */
  private static final int MOST_ENTRIES = 100_000;

  private final Deque<Entry> entries = new ArrayDeque<>();
  private long newestEpoch;
  private long last;

  /** An empty journal. */
  public MemoryStore() {}

  @Override
  public synchronized long append(long epoch, List<String> events) {
    if (epoch < newestEpoch) {
      throw new ClusterException(
          ErrorCode.INTERNAL,
          "an engine of epoch %d wrote after one of epoch %d; it must stop"
              .formatted(epoch, newestEpoch));
    }
    newestEpoch = epoch;
    for (String event : events) {
      entries.addLast(new Entry(++last, event));
    }
    while (entries.size() > MOST_ENTRIES) {
      entries.removeFirst();
    }
    return last;
  }

  @Override
  public synchronized List<Entry> read(long from, int limit) {
    return entries.stream().filter(entry -> entry.position() >= from).limit(limit).toList();
  }

  @Override
  public void close() {}
}

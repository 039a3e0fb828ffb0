// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import java.util.List;

/**
 * The engine's journal: an append-only sequence of entries with positions from 1. Thread-safe and
 * blocking; an append that returned is kept as long as the store promises.
 */
public interface StateStore extends AutoCloseable {

  /**
   * One entry.
   *
   * @param position 1 for the first, then without a gap
   * @param json the event as JSON; never holds a secret
   */
  record Entry(long position, String json) {}

  /**
   * Appends events after the last entry, all or none.
   *
   * @param epoch the writer's epoch; a writer with an older epoch than the newest seen is refused
   * @return the position of the last event appended
   * @throws dev.clustered.model.ClusterException when the epoch is out of date or the store fails
   */
  long append(long epoch, List<String> events);

  /** Up to {@code limit} entries with positions from {@code from} on, in order. */
  List<Entry> read(long from, int limit);

  /** Gives back what the store holds open; a second call does nothing. */
  @Override
  void close();
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.StateStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The journal in memory: kept as long as the engine, and of entries that no snapshot replaced only
 * the newest, because nobody can read it after the engine's end. Thread-safe.
 */
public final class MemoryStore implements StateStore {

  /** Enough to look at what just happened; a bound so that an engine may run for years. */
  private static final int MOST_ENTRIES = 100_000;

  /** So many entries are forgotten together, since that moves all others. */
  private static final int FORGOTTEN_AT_ONCE = 10_000;

  private final List<Entry> entries = new ArrayList<>();
  private long newestEpoch;
  private long last;
  private long compacted;
  private Optional<Snapshot> snapshot = Optional.empty();
  private Optional<Lease> lease = Optional.empty();
  private long leasedSince;
  private boolean closed;

  /** An empty journal. */
  public MemoryStore() {}

  @Override
  public synchronized long append(long epoch, List<String> events) {
    requireOpen();
    events.forEach(StateStore::requireStorable);
    admit(epoch);
    for (String event : events) {
      entries.add(new Entry(++last, event));
    }
    if (entries.size() >= MOST_ENTRIES + FORGOTTEN_AT_ONCE) {
      forget(last - MOST_ENTRIES);
    }
    return last;
  }

  private void admit(long epoch) {
    if (epoch < newestEpoch) {
      throw new ClusterException(
          ErrorCode.ENGINE_DEPOSED,
          "an engine of epoch %d wrote after one of epoch %d; it must stop"
              .formatted(epoch, newestEpoch));
    }
    newestEpoch = epoch;
  }

  private void forget(long position) {
    if (position > compacted) {
      entries.subList(0, (int) (position - compacted)).clear();
      compacted = position;
    }
  }

  @Override
  public synchronized List<Entry> read(long from, int limit) {
    requireOpen();
    if (from <= compacted) {
      throw new ClusterException(
          ErrorCode.JOURNAL_COMPACTED,
          "the journal in memory begins after position %d; received %d; read the snapshot first"
              .formatted(compacted, from));
    }
    int begin = (int) Math.min(from - compacted - 1, entries.size());
    int end = (int) Math.min((long) begin + limit, entries.size());
    return List.copyOf(entries.subList(begin, end));
  }

  @Override
  public synchronized void compact(long epoch, long position, String json) {
    requireOpen();
    StateStore.requireStorable(json);
    long least = Math.max(1, compacted);
    if (position < least || position > last) {
      throw new IllegalArgumentException(
          "the journal in memory can be compacted up to a position from %d to %d; received %d"
              .formatted(least, last, position));
    }
    admit(epoch);
    snapshot = Optional.of(new Snapshot(position, json));
    forget(position);
  }

  @Override
  public synchronized Optional<Snapshot> snapshot() {
    requireOpen();
    return snapshot;
  }

  @Override
  public synchronized Optional<Lease> acquire(String engine, Duration length) {
    if (holder().isPresent()) {
      return Optional.empty();
    }
    lease = Optional.of(new Lease(engine, newestEpoch + 1, length));
    newestEpoch++;
    leasedSince = System.nanoTime();
    return lease;
  }

  @Override
  public synchronized boolean renew(Lease renewed) {
    boolean held = isHeld(renewed);
    if (held) {
      lease = Optional.of(renewed);
      leasedSince = System.nanoTime();
    }
    return held;
  }

  @Override
  public synchronized void release(Lease released) {
    if (isHeld(released)) {
      lease = Optional.empty();
    }
  }

  private boolean isHeld(Lease asked) {
    return holder()
        .filter(view -> view.epoch() == asked.epoch() && view.engine().equals(asked.engine()))
        .isPresent();
  }

  @Override
  public synchronized Optional<LeaseView> holder() {
    requireOpen();
    Duration gone = Duration.ofNanos(System.nanoTime() - leasedSince);
    return lease
        .map(held -> new LeaseView(held.engine(), held.epoch(), held.length().minus(gone)))
        .filter(view -> view.left().isPositive());
  }

  private void requireOpen() {
    if (closed) {
      throw new ClusterException(
          ErrorCode.ENGINE_CLOSED, "the journal in memory is closed; open another one");
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
  }
}

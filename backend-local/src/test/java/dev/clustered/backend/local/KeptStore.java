// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.core.engine.MemoryStore;
import dev.clustered.spi.StateStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A journal that outlives the engines which write it. */
final class KeptStore implements StateStore {

  private final MemoryStore kept = new MemoryStore();
  private volatile Optional<Lease> leader = Optional.empty();

  @Override
  public long append(long epoch, List<String> events) {
    return kept.append(epoch, events);
  }

  @Override
  public List<Entry> read(long from, int limit) {
    return kept.read(from, limit);
  }

  @Override
  public void compact(long epoch, long position, String snapshot) {
    kept.compact(epoch, position, snapshot);
  }

  @Override
  public Optional<Snapshot> snapshot() {
    return kept.snapshot();
  }

  @Override
  public Optional<Lease> acquire(String engine, Duration length) {
    leader = kept.acquire(engine, length).or(() -> leader);
    return leader.filter(lease -> lease.engine().equals(engine));
  }

  @Override
  public boolean renew(Lease lease) {
    return kept.renew(lease);
  }

  @Override
  public void release(Lease lease) {
    kept.release(lease);
  }

  @Override
  public Optional<LeaseView> holder() {
    return kept.holder();
  }

  /** Lets the next engine lead at once, as if the one that leads had not been heard for long. */
  void depose() {
    leader.ifPresent(kept::release);
  }

  @Override
  public void close() {}
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.engine.journal.EngineKey;
import dev.clustered.core.engine.journal.FactJson;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.spi.StateStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What is left of an engine when it has crashed: its journal as text. Not thread-safe. */
final class SimulatedStore implements StateStore {

  final EngineKey key = new EngineKey(new byte[EngineKey.BYTES]);
  private final FactJson json = new FactJson(key);
  private final MemoryStore kept = new MemoryStore();
  private int size;

  /** Crashes the engine before or after it writes. */
  Runnable beforeAppend = () -> {};

  Runnable afterAppend = () -> {};

  @Override
  public long append(long epoch, List<String> events) {
    if (events.isEmpty()) {
      return kept.append(epoch, events);
    }
    beforeAppend.run();
    long last = kept.append(epoch, events);
    size += events.size();
    afterAppend.run();
    return last;
  }

  /** All facts from the first. */
  List<Fact> facts() {
    return facts(0);
  }

  /** The facts after so many. */
  List<Fact> facts(int after) {
    return kept.read(after + 1L, Integer.MAX_VALUE).stream()
        .map(entry -> json.read(entry.json()))
        .toList();
  }

  int size() {
    return size;
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
    return kept.acquire(engine, length);
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

  @Override
  public void close() {
    kept.close();
  }
}

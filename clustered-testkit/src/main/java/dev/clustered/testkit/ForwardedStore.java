// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.spi.StateStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A store that asks another for everything: a test extends it and changes what it is about.
 * Thread-safe if the other is.
 */
public class ForwardedStore implements StateStore {

  private final StateStore real;

  /** Forwards to this one. */
  public ForwardedStore(StateStore real) {
    this.real = real;
  }

  @Override
  public long append(long epoch, List<String> events) {
    return real.append(epoch, events);
  }

  @Override
  public List<Entry> read(long from, int limit) {
    return real.read(from, limit);
  }

  @Override
  public void compact(long epoch, long position, String snapshot) {
    real.compact(epoch, position, snapshot);
  }

  @Override
  public Optional<Snapshot> snapshot() {
    return real.snapshot();
  }

  @Override
  public Optional<Lease> acquire(String engine, Duration length) {
    return real.acquire(engine, length);
  }

  @Override
  public boolean renew(Lease lease) {
    return real.renew(lease);
  }

  @Override
  public void release(Lease lease) {
    real.release(lease);
  }

  @Override
  public Optional<LeaseView> holder() {
    return real.holder();
  }

  @Override
  public void close() {
    real.close();
  }
}

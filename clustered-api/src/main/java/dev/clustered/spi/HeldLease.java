// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A lease of a {@link StateStore} in the hand of its holder. It counts by this JVM's monotonic
 * clock, and from before the call that got or renewed it, so it ends here before the store gives it
 * to another engine, however long the answer took and whatever happens to the wall clock.
 * Thread-safe.
 */
public final class HeldLease implements AutoCloseable {

  private final StateStore store;
  private final StateStore.Lease lease;
  private final LongSupplier clock;
  private final AtomicLong since;
  private final AtomicBoolean lost = new AtomicBoolean();

  private HeldLease(StateStore store, StateStore.Lease lease, LongSupplier clock, long since) {
    this.store = store;
    this.lease = lease;
    this.clock = clock;
    this.since = new AtomicLong(since);
  }

  /**
   * Asks a store for its lease; empty while another engine holds it.
   *
   * @throws dev.clustered.model.ClusterException when the store fails
   */
  public static Optional<HeldLease> acquire(StateStore store, String engine, Duration length) {
    return acquire(store, engine, length, System::nanoTime);
  }

  /**
   * The same by another clock.
   *
   * @param clock nanoseconds from any moment on, never backwards
   */
  public static Optional<HeldLease> acquire(
      StateStore store, String engine, Duration length, LongSupplier clock) {
    long before = clock.getAsLong();
    return store
        .acquire(engine, length)
        .map(lease -> new HeldLease(store, lease, clock, before))
        .filter(HeldLease::held);
  }

  /** What every append of the holder is marked with. */
  public long epoch() {
    return lease.epoch();
  }

  /** Whether the holder may act: the lease has not run out, nor was it lost or released. */
  public boolean held() {
    return !left().isZero();
  }

  /** How long the holder may act; zero when it may no more. */
  public Duration left() {
    if (lost.get()) {
      return Duration.ZERO;
    }
    Duration gone = Duration.ofNanos(clock.getAsLong() - since.get());
    Duration left = lease.length().minus(gone);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /**
   * Counts the lease anew.
   *
   * @return whether the holder may act; once false it stays so
   * @throws dev.clustered.model.ClusterException when the store fails; the lease then lasts as long
   *     as it did before
   */
  public boolean renew() {
    if (lost.get()) {
      return false;
    }
    long before = clock.getAsLong();
    if (store.renew(lease)) {
      since.accumulateAndGet(before, HeldLease::later);
    } else {
      lost.set(true);
    }
    return held();
  }

  /** Moments of this clock are compared by their difference, since it may begin anywhere. */
  private static long later(long one, long other) {
    return one - other >= 0 ? one : other;
  }

  /** Releases the lease; does nothing when it has ended already. */
  @Override
  public void close() {
    if (!lost.getAndSet(true)) {
      store.release(lease);
    }
  }
}

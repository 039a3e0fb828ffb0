// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.spi.HeldLease;
import dev.clustered.spi.StateStore;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time in which this engine is the one that acts: as long as it holds the lease of its store.
 * Thread-safe.
 */
public final class Reign implements Leadership, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Reign.class);

  /** How often a standby asks. */
  private static final Duration BETWEEN_ASKS = Duration.ofMillis(250);

  /** The lease is renewed so many times before it would run out. */
  private static final int RENEWALS = 4;

  private final HeldLease lease;
  private final Duration length;
  private final Thread renewing;
  private volatile boolean deposed;
  private volatile Runnable listener = () -> {};

  private Reign(HeldLease lease, Duration length) {
    this.lease = lease;
    this.length = length;
    this.renewing =
        Thread.ofVirtual().name("clustered-leadership").unstarted(this::renewAgainAndAgain);
  }

  /**
   * Waits until no other engine leads with the store, and leads from then on.
   *
   * @param length after which another engine may lead when this one is not heard any more
   */
  public static Reign await(StateStore store, Duration length) throws InterruptedException {
    String engine = ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    boolean told = false;
    while (true) {
      Optional<HeldLease> lease = HeldLease.acquire(store, engine, length);
      if (lease.isPresent()) {
        Reign reign = new Reign(lease.get(), length);
        reign.renewing.start();
        return reign;
      }
      if (!told) {
        log.info("Another engine leads; this one stands by holder={}", store.holder());
        told = true;
      }
      TimeUnit.NANOSECONDS.sleep(BETWEEN_ASKS.toNanos());
    }
  }

  /** What everything that this engine writes is marked with. */
  public long epoch() {
    return lease.epoch();
  }

  /** Whether another engine may lead by now; once so it stays so. */
  public boolean deposed() {
    if (!deposed && !lease.held()) {
      depose();
    }
    return deposed;
  }

  /** This engine must not act any more. */
  void depose() {
    deposed = true;
    listener.run();
  }

  /** Has somebody hear, on any thread and perhaps more than once, that the reign is over. */
  void whenDeposed(Runnable told) {
    listener = told;
  }

  /**
   * Checks that this engine still leads.
   *
   * @throws ClusterException with the code {@code ENGINE_DEPOSED}
   */
  @Override
  public void require() {
    if (deposed()) {
      throw new ClusterException(
          ErrorCode.ENGINE_DEPOSED,
          "this engine leads no more: its lease of %s ran out, or another one took over; open an engine anew to stand by"
              .formatted(length));
    }
  }

  private void renewAgainAndAgain() {
    try {
      while (!deposed()) {
        TimeUnit.NANOSECONDS.sleep(length.dividedBy(RENEWALS).toNanos());
        renew();
      }
      log.warn("This engine leads no more epoch={}", epoch());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // Closed.
    }
  }

  private void renew() {
    try {
      if (!lease.renew()) {
        depose();
      }
    } catch (ClusterException e) {
      log.warn("The lease could not be renewed; it lasts {} longer", lease.left(), e);
    }
  }

  /** Ends the reign, so that another engine may lead at once. */
  @Override
  public void close() {
    renewing.interrupt();
    try {
      lease.close();
    } catch (ClusterException e) {
      log.warn("The lease could not be released; it runs out by itself", e);
    }
  }
}

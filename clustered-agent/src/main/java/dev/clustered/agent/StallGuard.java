// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a stream when its work is to end, or when nothing has come for a while; whoever reads it
 * then gets an {@link IOException}. Thread-safe.
 */
final class StallGuard implements AutoCloseable {

  private static final Logger LOGGER = LoggerFactory.getLogger(StallGuard.class);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final InputStream stream;
  private final Wish wish;
  private volatile long moves;
  private volatile boolean over;

  private StallGuard(InputStream stream, Wish wish) {
    this.stream = stream;
    this.wish = wish;
  }

  static StallGuard watch(InputStream stream, Wish wish) {
    StallGuard guard = new StallGuard(stream, wish);
    Thread.ofVirtual().name("clustered-transfer").start(guard::watch);
    return guard;
  }

  /** Something has come. Called by one thread. */
  @SuppressWarnings("NonAtomicVolatileUpdate")
  void moved() {
    moves++;
  }

  private void watch() {
    try {
      long before = -1;
      while (!over && wish.ending().isEmpty() && before != moves) {
        before = moves;
        wish.await(() -> over || wish.ending().isPresent(), PATIENCE);
      }
      if (!over) {
        stream.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOGGER.debug("Transfer not closed", e);
    }
  }

  @Override
  public void close() {
    over = true;
    wish.poke();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells how far a transfer is: at its begin, from time to time, and at its end. Not thread-safe.
 */
final class Progress {

  /** Often enough for somebody who watches, and seldom enough for ten thousand nodes. */
  private static final long PAUSE = Duration.ofSeconds(1).toNanos();

  /** Who hears of it. */
  interface Listener {
    void moved(long bytes, long of);
  }

  private final Listener listener;
  private final long total;
  private final LongSupplier nanoTime;
  private long done;
  private long told;

  Progress(Listener listener, long total, LongSupplier nanoTime) {
    this.listener = listener;
    this.total = total;
    this.nanoTime = nanoTime;
    tell(nanoTime.getAsLong());
  }

  /** More has come; less than nothing where what came was wrong. */
  void add(long bytes) {
    done += bytes;
    long now = nanoTime.getAsLong();
    if (now - told >= PAUSE || done == total) {
      tell(now);
    }
  }

  private void tell(long now) {
    told = now;
    listener.moved(done, total);
  }
}

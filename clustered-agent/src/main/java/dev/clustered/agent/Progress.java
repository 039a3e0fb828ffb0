// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says from time to time how far a long transfer is. Not thread-safe. */
final class Progress {

  private static final Logger LOGGER = LoggerFactory.getLogger(Progress.class);
  private static final long PAUSE = Duration.ofSeconds(10).toNanos();

  private final String scope;
  private final long total;
  private final LongSupplier nanoTime;
  private long done;
  private long told;

  Progress(String scope, long total, LongSupplier nanoTime) {
    this.scope = scope;
    this.total = total;
    this.nanoTime = nanoTime;
    this.told = nanoTime.getAsLong();
  }

  void add(long bytes) {
    done += bytes;
    long now = nanoTime.getAsLong();
    if (now - told >= PAUSE) {
      told = now;
      LOGGER.info("Files are on their way scope={} bytes={} of={}", scope, done, total);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for something that another thread or process does: looks every few milliseconds until it is
 * so or the limit is over, and then fails with what was waited for and what was seen last. An
 * interrupt fails the wait at once and stays set. Immutable and thread-safe.
 *
 * <pre>{@code
 * Eventually.within(Duration.ofSeconds(5)).passes(() -> assertThat(engine.pool()).isEmpty());
 * }</pre>
 */
public final class Eventually {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Duration limit;

  private Eventually(Duration limit) {
    this.limit = limit;
  }

  /** Something that may fail with any exception or assertion. */
  @FunctionalInterface
  public interface Assertions {
    /** Returns when all is as it should be. */
    void run() throws Exception;
  }

  /** Waits as long as this at most; the first look is made at once, the last at the limit. */
  public static Eventually within(Duration limit) {
    if (limit.isNegative()) {
      throw new IllegalArgumentException("a wait takes zero or more; received: " + limit);
    }
    return new Eventually(limit);
  }

  /**
   * Waits until a condition holds.
   *
   * @param what the condition as a sentence, for the failure
   */
  public void isTrue(String what, Callable<Boolean> condition) {
    passes(
        () -> {
          if (!condition.call()) {
            throw new AssertionError("not so: " + what);
          }
        });
  }

  /**
   * Waits until there is a value.
   *
   * @param what the value as a noun, for the failure
   */
  public <T> T present(String what, Supplier<Optional<T>> source) {
    return attempt(
        () -> source.get().orElseThrow(() -> new AssertionError("there is none: " + what)));
  }

  /** Waits until assertions pass; anything they throw counts as not yet. */
  public void passes(Assertions assertions) {
    boolean passed =
        attempt(
            () -> {
              assertions.run();
              return true;
            });
    assert passed;
  }

  private <T> T attempt(Callable<T> look) {
    long start = System.nanoTime();
    while (true) {
      boolean last = System.nanoTime() - start >= limit.toNanos();
      try {
        return look.call();
      } catch (Exception | AssertionError failure) {
        if (last || Thread.currentThread().isInterrupted()) {
          throw failure(start, failure);
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private AssertionError failure(long start, Throwable failure) {
    Duration waited =
        Duration.ofNanos(System.nanoTime() - start)
            .truncatedTo(java.time.temporal.ChronoUnit.MILLIS);
    String why = Thread.currentThread().isInterrupted() ? "interrupted after " : "gave up after ";
    return new AssertionError(
        why + waited + " of " + limit + "; seen last: " + failure.getMessage(), failure);
  }
}

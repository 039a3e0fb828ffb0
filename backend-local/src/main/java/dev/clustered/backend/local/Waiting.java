// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for futures and throws what they failed with as an error of this library. */
final class Waiting {

  private static final Logger LOG = LoggerFactory.getLogger(Waiting.class);

  private Waiting() {}

  /** The value, as soon as there is one. */
  static <T> T on(CompletableFuture<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw failure(Objects.requireNonNullElse(e.getCause(), e));
    }
  }

  /** Waits until all have ended, also when one fails. */
  static void onAll(Collection<CompletableFuture<Void>> futures) throws InterruptedException {
    on(all(futures));
  }

  /** The same for a caller that must not stop halfway: an interrupt stays set for later. */
  static void onAllInSpiteOfInterrupts(Collection<CompletableFuture<Void>> futures) {
    try {
      all(futures).join();
    } catch (CompletionException e) {
      throw failure(Objects.requireNonNullElse(e.getCause(), e));
    }
  }

  /** Does something once there is a value; a failure, which nobody waits for, is logged. */
  @SuppressWarnings("FutureReturnValueIgnored")
  static <T> void then(CompletableFuture<T> future, Consumer<? super T> consequence) {
    future.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            consequence.accept(value);
          } else {
            LOG.warn("A local node could not be ended", failure);
          }
        });
  }

  static CompletableFuture<Void> all(Collection<CompletableFuture<Void>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
  }

  /** Waits until a thread has ended; an interrupt stays set for later. */
  static void forEndOf(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ClusterException failure(Throwable cause) {
    return cause instanceof ClusterException known
        ? known
        : new ClusterException(ErrorCode.INTERNAL, "backend local failed: " + cause, cause);
  }
}

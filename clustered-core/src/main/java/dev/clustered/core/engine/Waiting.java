// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for futures whose failures are {@link ClusterException}s. */
public final class Waiting {

  private Waiting() {}

  static <T> T interruptibly(CompletableFuture<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ClusterException failure) {
        failure.addSuppressed(new IllegalStateException("waited for here"));
        throw failure;
      }
      throw new ClusterException(ErrorCode.INTERNAL, "a completion failed: " + e.getCause(), e);
    }
  }

  /** Waits to the end; an interruption is remembered and comes after it. */
  static <T> T patiently(CompletableFuture<T> future) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return interruptibly(future);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits, however it may be interrupted, until a future has a value or a failure. */
  public static void settled(CompletableFuture<?> future) {
    CompletableFuture<Boolean> outcome = future.handle((value, failure) -> failure == null);
    boolean unused = patiently(outcome);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.ExecRequest;
import dev.clustered.ExecResult;
import dev.clustered.core.engine.exec.ExecOutput;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a command beside a rank to its end, and keeps all that it writes. One use. */
final class ExecCapture {

  /** The most bytes of one output that are kept. */
  static final int MOST_BYTES = 16 << 20;

  private static final Duration LONGEST = Duration.ofDays(10_000);

  private final CompletableFuture<String> tooMuch = new CompletableFuture<>();
  private final ExecOutput output = kept("standard output");
  private final ExecOutput error = kept("standard error");
  private final Execs execs;

  ExecCapture(Execs execs) {
    this.execs = execs;
  }

  private ExecOutput kept(String name) {
    return new ExecOutput(MOST_BYTES, () -> tooMuch.complete(name));
  }

  ExecResult run(ClusterRecord cluster, int rank, List<String> command, Duration limit)
      throws InterruptedException {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("the limit is above zero; received: " + limit);
    }
    ExecRequest request = ExecRequest.of(command).withoutInput();
    try (Exec exec = execs.start(cluster, rank, request, output, error)) {
      ProcessEnd end = await(exec, limit);
      return ExecResult.of(end, exec.endedBecause(), all(output), all(error));
    }
  }

  private ProcessEnd await(Exec exec, Duration limit) throws InterruptedException {
    long nanos = (limit.compareTo(LONGEST) > 0 ? LONGEST : limit).toNanos();
    try {
      Object unused = CompletableFuture.anyOf(exec.end, tooMuch).get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw over(exec, "ran for longer than its limit of " + limit);
    } catch (ExecutionException e) {
      // It is the end that failed, which says so below.
    }
    if (!exec.end.isDone()) {
      throw over(exec, "wrote more than %d bytes to its %s".formatted(MOST_BYTES, tooMuch.join()));
    }
    return Waiting.interruptibly(exec.end);
  }

  private static ClusterException over(Exec exec, String what) {
    return new ClusterException(
        ErrorCode.EXEC_LIMIT,
        "%s %s and was ended; give it more time, let it write less, or use exec(rank, ExecRequest)"
            .formatted(exec, what));
  }

  private static byte[] all(ExecOutput kept) {
    byte[] bytes = new byte[kept.available()];
    try {
      int unused = kept.read(bytes);
      return bytes;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException("an output in memory cannot fail", e);
    }
  }
}

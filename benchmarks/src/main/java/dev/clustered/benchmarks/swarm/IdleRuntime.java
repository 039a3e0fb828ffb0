// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.swarm;

import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Runs nothing: each workload lasts until it is ended. Thread-safe. */
final class IdleRuntime implements NodeRuntime {

  private static final int SIGTERM = 15;

  private record Idle(CompletableFuture<ProcessEnd> end) implements Running {

    @Override
    public long processId() {
      return ProcessHandle.current().pid();
    }

    @Override
    public void signal(int signal) {
      end.complete(new ProcessEnd.Signal(signal));
    }

    @Override
    public void terminate(Duration grace) {
      signal(SIGTERM);
    }
  }

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public Running start(Work work) {
    return new Idle(new CompletableFuture<>());
  }

  @Override
  public void close() {
    // Nothing runs.
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime.Exec;
import dev.clustered.spi.NodeRuntime.Running;
import dev.clustered.spi.NodeRuntime.RunningExec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A workload that could not be started. Immutable and thread-safe. */
record NeverStarted(ProcessEnd.NotStarted why) implements Running {

  @Override
  public long processId() {
    return 0;
  }

  @Override
  public CompletableFuture<ProcessEnd> end() {
    return CompletableFuture.completedFuture(why);
  }

  @Override
  public RunningExec exec(Exec exec) {
    throw new IllegalStateException("the workload was never started");
  }

  @Override
  public void signal(int signal) {
    // There is nothing to send it to.
  }

  @Override
  public void terminate(Duration grace) {
    // There is nothing to end.
  }
}

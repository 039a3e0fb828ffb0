// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Real processes by the means of the JDK alone, for tests of what is above the runtime. */
final class PlainRuntime implements NodeRuntime {

  private static final int SIGNAL_BASE = 128;

  private final ConcurrentLinkedQueue<Process> processes = new ConcurrentLinkedQueue<>();

  @Override
  public String name() {
    return "plain";
  }

  /** Whether anything it started still runs. */
  boolean busy() {
    return processes.stream().anyMatch(Process::isAlive);
  }

  @Override
  public Running start(Work work) {
    ProcessBuilder builder =
        new ProcessBuilder(work.command())
            .directory(work.directory().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(work.log().toFile()));
    builder.environment().clear();
    builder.environment().putAll(work.environment());
    try {
      Process process = builder.start();
      processes.add(process);
      return new Started(process);
    } catch (IOException e) {
      return new NotStarted(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }

  private record Started(Process process) implements Running {

    @Override
    public long processId() {
      return process.pid();
    }

    @Override
    public CompletableFuture<ProcessEnd> end() {
      return process.onExit().thenApply(ended -> end(ended.exitValue()));
    }

    private static ProcessEnd end(int code) {
      return code > SIGNAL_BASE
          ? new ProcessEnd.Signal(code - SIGNAL_BASE)
          : new ProcessEnd.Code(code);
    }

    @Override
    public void signal(int signal) {
      throw new UnsupportedOperationException("the agent sends no single signals");
    }

    @Override
    public void terminate(Duration grace) throws InterruptedException {
      List<ProcessHandle> all =
          Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
      all.forEach(ProcessHandle::destroy);
      if (!process.waitFor(grace.toNanos(), TimeUnit.NANOSECONDS)) {
        all.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
      }
    }
  }

  private record NotStarted(String message) implements Running {

    @Override
    public long processId() {
      return 0;
    }

    @Override
    public CompletableFuture<ProcessEnd> end() {
      return CompletableFuture.completedFuture(new ProcessEnd.NotStarted(127, message));
    }

    @Override
    public void signal(int signal) {}

    @Override
    public void terminate(Duration grace) {}
  }
}

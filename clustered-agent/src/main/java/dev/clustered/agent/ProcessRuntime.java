// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.ProcessExit;
import dev.clustered.agent.process.ProcessScope;
import dev.clustered.agent.process.ProcessSpec;
import dev.clustered.agent.process.ProcessSupervisor;
import dev.clustered.agent.process.RankProcess;
import dev.clustered.agent.process.StartResult;
import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Runs workloads as plain processes of this machine. Should this JVM die, a guardian process ends
 * all of them. Thread-safe.
 */
public final class ProcessRuntime implements NodeRuntime {

  private final ProcessSupervisor supervisor = ProcessSupervisor.open(InstantSource.system());

  /** A runtime with a guardian of its own. */
  public ProcessRuntime() {}

  @Override
  public String name() {
    return "process";
  }

  /**
   * Has a directory removed should this JVM die. Its name must be letters, digits, dots, dashes and
   * underscores.
   */
  public void guard(Path directory) {
    ProcessScope guarded = supervisor.scope(directory.getFileName().toString(), directory);
    if (!guarded.running().isEmpty()) {
      throw new IllegalStateException("the directory " + directory + " has processes of its own");
    }
  }

  @Override
  public Running start(Work work) {
    ProcessScope scope = supervisor.scope(work.scope(), scratch(work));
    try {
      ProcessSpec spec =
          new ProcessSpec(
              work.command(),
              work.environment(),
              work.directory(),
              work.log(),
              scratch(work));
      return switch (scope.start(spec)) {
        case StartResult.Started started -> new Run(scope, Optional.of(started.process()), ended(started.process()));
        case StartResult.NotStarted refused -> new Run(scope, Optional.empty(), refused(refused));
      };
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  /** The guardian removes only directories that bear the scope's name. */
  private static Path scratch(Work work) {
    try {
      return Files.createDirectories(work.files().resolve(work.scope()));
    } catch (IOException e) {
      throw new UncheckedIOException("the node cannot make a directory for " + work.scope(), e);
    }
  }

  private static CompletableFuture<ProcessEnd> ended(RankProcess process) {
    return process.exit().thenApply(ProcessRuntime::end);
  }

  private static CompletableFuture<ProcessEnd> refused(StartResult.NotStarted refused) {
    int code = refused.failure().reason().exitCode();
    return CompletableFuture.completedFuture(
        new ProcessEnd.NotStarted(code, refused.failure().message()));
  }

  private static ProcessEnd end(ProcessExit exit) {
    return switch (exit) {
      case ProcessExit.Code code -> new ProcessEnd.Code(code.code());
      case ProcessExit.Signal signal -> new ProcessEnd.Signal(signal.number());
    };
  }

  @Override
  public void close() {
    supervisor.close();
  }

  /** One workload in a scope of its own, which is closed with it. */
  private record Run(
      ProcessScope scope, Optional<RankProcess> process, CompletableFuture<ProcessEnd> end)
      implements Running {

    @Override
    public long processId() {
      return process.map(RankProcess::pid).orElse(0);
    }

    @Override
    public void signal(int signal) {
      process.filter(RankProcess::running).map(running -> running.signal(signal));
    }

    @Override
    public void terminate(Duration grace) {
      scope.terminate(grace);
      scope.close();
    }
  }
}

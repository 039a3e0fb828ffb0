// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.ExecRoom;
import dev.clustered.agent.process.ProcessExit;
import dev.clustered.agent.process.ProcessScope;
import dev.clustered.agent.process.ProcessSpec;
import dev.clustered.agent.process.ProcessSupervisor;
import dev.clustered.agent.process.RankProcess;
import dev.clustered.agent.process.SpawnFailure;
import dev.clustered.agent.process.StartResult;
import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.Feature;
import dev.clustered.spi.NodeRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs workloads as plain process trees of this machine, which all end when this JVM dies. One of
 * them serves all agents of a JVM. Thread-safe.
 */
public final class ProcessRuntime implements NodeRuntime {

  private static final Logger LOGGER = LoggerFactory.getLogger(ProcessRuntime.class);

  private final ExecRoom room = new ExecRoom();
  private final ProcessSupervisor supervisor = ProcessSupervisor.open(InstantSource.system());

  /** A runtime that has started nothing yet. */
  public ProcessRuntime() {}

  @Override
  public String name() {
    return "process";
  }

  @Override
  public Set<Feature> features() {
    return EnumSet.of(Feature.EXEC);
  }

  /**
   * Has a directory removed should this JVM die.
   *
   * @param directory absolute; its name, of letters, digits, dots, dashes and underscores, is that
   *     of no other directory guarded by this runtime
   */
  public void guard(Path directory) {
    ProcessScope guarded = supervisor.scope(String.valueOf(directory.getFileName()), directory);
    LOGGER.debug("Directory is guarded scope={}", guarded.id());
  }

  @Override
  public Optional<ProcessEnd.NotStarted> missing(Work work) {
    return ProcessSupervisor.missing(
            work.command().getFirst(), work.environment(), work.directory())
        .map(ProcessRuntime::end);
  }

  /** Starts a workload; a directory above it that has the scope as its name is guarded with it. */
  @Override
  public Running start(Work work) {
    ProcessScope scope = supervisor.scope(work.scope(), directory(work));
    try {
      StartResult result =
          scope.start(
              new ProcessSpec(
                  work.command(), work.environment(), work.directory(), work.log(), work.files()));
      return switch (result) {
        case StartResult.Started started -> new Started(scope, started.process(), work, room);
        case StartResult.NotStarted not -> {
          scope.close();
          yield new NeverStarted(end(not.failure()));
        }
      };
    } catch (RuntimeException e) {
      scope.close();
      throw e;
    }
  }

  @Override
  public void close() {
    supervisor.close();
  }

  /** How a process ends; never fails. */
  static CompletableFuture<ProcessEnd> end(RankProcess process) {
    return process
        .exit()
        .handle(
            (exit, failure) ->
                failure == null ? end(exit) : new ProcessEnd.Unknown(failure.toString()));
  }

  private static ProcessEnd end(ProcessExit exit) {
    return switch (exit) {
      case ProcessExit.Code code -> new ProcessEnd.Code(code.code());
      case ProcessExit.Signal signal -> new ProcessEnd.Signal(signal.number());
    };
  }

  private static Path directory(Work work) {
    for (Path path = work.files(); path != null; path = path.getParent()) {
      if (path.endsWith(work.scope())) {
        return path;
      }
    }
    return work.files().resolve(work.scope());
  }

  private record Started(ProcessScope scope, RankProcess process, Work work, ExecRoom room)
      implements Running {

    @Override
    public long processId() {
      return process.pid();
    }

    @Override
    public CompletableFuture<ProcessEnd> end() {
      return ProcessRuntime.end(process);
    }

    @Override
    public RunningExec exec(Exec exec) {
      return ProcessExec.start(scope, work, exec, room);
    }

    @Override
    public Optional<OutOfMemory> outOfMemory() {
      return scope.outOfMemory();
    }

    @Override
    public Optional<Duration> processorTime() {
      return scope.processorTime();
    }

    @Override
    public void dumpStacks(String why, Duration limit) throws InterruptedException {
      scope.dumpStacks(work.log(), why, limit);
    }

    @Override
    public void signal(int signal) {
      boolean unused = process.signal(signal);
    }

    @Override
    public void terminate(Duration grace) throws InterruptedException {
      scope.terminate(grace);
      scope.close();
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /** The end of what could not be started. */
  static ProcessEnd.NotStarted end(SpawnFailure failure) {
    return new ProcessEnd.NotStarted(failure.reason().exitCode(), failure.message());
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.AttachResult;
import dev.clustered.agent.process.AttachedStreams;
import dev.clustered.agent.process.ExecRoom;
import dev.clustered.agent.process.ProcessScope;
import dev.clustered.agent.process.ProcessSpec;
import dev.clustered.agent.process.RankProcess;
import dev.clustered.agent.process.ScopePart;
import dev.clustered.agent.process.SpawnFailure;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.TerminalSize;
import dev.clustered.spi.NodeRuntime;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Commands beside a workload of plain processes. Stateless. */
final class ProcessExec {

  private static final String TERM = "TERM";
  private static final String TERMINAL = "xterm-256color";
  private static final int HANGUP = 1;

  private ProcessExec() {}

  static NodeRuntime.RunningExec start(
      ProcessScope scope, NodeRuntime.Work work, NodeRuntime.Exec exec, ExecRoom room) {
    Optional<SpawnFailure> full = room.enter();
    if (full.isPresent()) {
      return new NotStarted(ProcessRuntime.end(full.get()));
    }
    boolean started = false;
    try {
      NodeRuntime.RunningExec running = start(scope, work, exec, new AtomicReference<>(room));
      started = running instanceof Started;
      return running;
    } finally {
      if (!started) {
        room.leave();
      }
    }
  }

  private static NodeRuntime.RunningExec start(
      ProcessScope scope,
      NodeRuntime.Work work,
      NodeRuntime.Exec exec,
      AtomicReference<@Nullable ExecRoom> room) {
    ScopePart part = scope.part(exec.id());
    ProcessSpec spec =
        new ProcessSpec(
            exec.command(), environment(work, exec), work.directory(), work.log(), work.files());
    AttachedStreams.Input input =
        exec.withInput() ? AttachedStreams.Input.PIPE : AttachedStreams.Input.NONE;
    return switch (part.start(spec, input, exec.terminal())) {
      case AttachResult.Started started ->
          new Started(part, started.process(), started.streams(), room);
      case AttachResult.NotStarted not -> new NotStarted(ProcessRuntime.end(not.failure()));
    };
  }

  private static Map<String, String> environment(NodeRuntime.Work work, NodeRuntime.Exec exec) {
    Map<String, String> environment = new LinkedHashMap<>(work.environment());
    if (exec.terminal().isPresent()) {
      environment.putIfAbsent(TERM, TERMINAL);
    }
    return environment;
  }

  /**
   * One that runs.
   *
   * @param room what it holds room in; null once nothing of it is left
   */
  private record Started(
      ScopePart part,
      RankProcess process,
      AttachedStreams streams,
      AtomicReference<@Nullable ExecRoom> room)
      implements NodeRuntime.RunningExec {

    @Override
    public OutputStream input() {
      return streams.input();
    }

    @Override
    public InputStream output() {
      return streams.output();
    }

    @Override
    public InputStream error() {
      return streams.error();
    }

    @Override
    public CompletableFuture<ProcessEnd> end() {
      return ProcessRuntime.end(process);
    }

    @Override
    public void signal(int signal) {
      boolean unused = process.signal(signal);
    }

    @Override
    public void resize(TerminalSize size) {
      streams.resize(size);
    }

    // An interactive shell ignores SIGTERM, and ends with what it runs when its terminal does.
    @Override
    public void terminate(Duration grace) throws InterruptedException {
      if (streams.inTerminal()) {
        boolean unused = process.signal(HANGUP);
      }
      part.terminate(grace);
      streams.drain();
      ExecRoom held = room.getAndSet(null);
      if (held != null) {
        held.leave();
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private record NotStarted(ProcessEnd failure) implements NodeRuntime.RunningExec {

    @Override
    public OutputStream input() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public InputStream output() {
      return InputStream.nullInputStream();
    }

    @Override
    public InputStream error() {
      return InputStream.nullInputStream();
    }

    @Override
    public CompletableFuture<ProcessEnd> end() {
      return CompletableFuture.completedFuture(failure);
    }

    @Override
    public void signal(int signal) {
      // There is nothing to send it to.
    }

    @Override
    public void resize(TerminalSize size) {
      // There is no terminal.
    }

    @Override
    public void terminate(Duration grace) {
      // There is nothing to end.
    }
  }
}

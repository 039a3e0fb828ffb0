// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.ExecRequest;
import dev.clustered.RemoteProcess;
import dev.clustered.agent.protocol.DesiredExec;
import dev.clustered.agent.protocol.DesiredExec.SentSignal;
import dev.clustered.agent.protocol.ExecDocument;
import dev.clustered.core.engine.exec.ExecInput;
import dev.clustered.core.engine.exec.ExecOutput;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.TerminalSize;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A command beside a rank as the engine holds it, and as users see it. */
final class Exec implements RemoteProcess {

  private static final int MOST_SIGNALS = 64;

  /** Where a command runs. */
  record Place(NodeId node, ClusterId cluster, int attempt, int rank) {}

  final String id;
  final Place place;
  final ExecDocument document;
  final ExecInput input;
  final ExecOutput output;
  final ExecOutput error;

  /** Its end, or the failure to run it; completed on a thread on which users' code may run. */
  final CompletableFuture<ProcessEnd> end = new CompletableFuture<>();

  private final Execs execs;
  private final Map<Integer, Long> signals = new LinkedHashMap<>();
  private Optional<TerminalSize> terminal;
  private Optional<String> ended = Optional.empty();
  private long sendings;
  private DesiredExec.Wanted wanted = DesiredExec.Wanted.RUN;

  Exec(Execs execs, String id, Place place, ExecRequest request, ExecOutput out, ExecOutput err) {
    boolean open = request.input() == ExecRequest.Input.OPEN;
    this.execs = execs;
    this.id = id;
    this.place = place;
    this.document = new ExecDocument(request.command(), open);
    this.input =
        new ExecInput(open ? Optional.empty() : Optional.of("it was started without an input"));
    this.output = out;
    this.error = err;
    this.terminal = request.terminal();
  }

  synchronized DesiredExec desired() {
    List<SentSignal> sent =
        signals.entrySet().stream().map(e -> new SentSignal(e.getKey(), e.getValue())).toList();
    return new DesiredExec(
        id, place.cluster(), place.attempt(), place.rank(), terminal, sent, wanted);
  }

  /** The first reason stays. */
  synchronized void because(String why) {
    ended = ended.or(() -> Optional.of(why));
  }

  @Override
  public OutputStream standardInput() {
    return input;
  }

  @Override
  public InputStream standardOutput() {
    return output;
  }

  @Override
  public InputStream standardError() {
    return error;
  }

  @Override
  public CompletableFuture<ProcessEnd> end() {
    return end.copy();
  }

  @Override
  public synchronized Optional<String> endedBecause() {
    return ended;
  }

  @Override
  public void signal(int signal) {
    if (signal < 1 || signal > MOST_SIGNALS) {
      throw new IllegalArgumentException("a signal is 1 to 64; received: " + signal);
    }
    synchronized (this) {
      boolean unused = signals.remove(signal) != null;
      sendings++;
      signals.put(signal, sendings);
    }
    boolean unused = execs.changed(this);
  }

  @Override
  public void resize(TerminalSize size) {
    synchronized (this) {
      if (terminal.isEmpty()) {
        throw new IllegalStateException(
            "the command has no terminal to be resized to %s; ask for one by withTerminal"
                .formatted(size));
      }
      terminal = Optional.of(size);
    }
    boolean unused = execs.changed(this);
  }

  @Override
  public void close() {
    end("it was closed");
    Waiting.settled(end);
  }

  /** Has it ended; what it still writes is dropped. */
  void end(String why) {
    synchronized (this) {
      wanted = DesiredExec.Wanted.END;
    }
    // Its node tells its end, also when it was told of the command and of its end together.
    if (!end.isDone() && execs.changed(this)) {
      because(why);
    }
    output.close();
    error.close();
  }

  /** Where it runs, without its command, which may hold secrets. */
  @Override
  public String toString() {
    return "command %s beside rank %d of cluster %s".formatted(id, place.rank(), place.cluster());
  }
}

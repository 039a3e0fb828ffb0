// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.DesiredExec;
import dev.clustered.agent.protocol.ExecDocument;
import dev.clustered.agent.protocol.ExecEnd;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.TerminalSize;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One command beside a work, from the fetching of its document until nothing of it is left, on a
 * thread of its own. Thread-safe.
 */
final class AgentExec {

  private static final Logger LOGGER = LoggerFactory.getLogger(AgentExec.class);

  /** From SIGTERM to SIGKILL, also for what a command leaves behind. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** How long an agent that ends waits for the engine to take what is left to be told. */
  private static final long LAST_WORDS_SECONDS = 2;

  /** What surrounds a command. */
  interface Host {
    AgentOptions options();

    Session session();

    /** The process of a work, when it was started. */
    Optional<RankRun> run(WorkKey work);

    /** Nothing of the command is left. */
    void gone(AgentExec exec);
  }

  private final Host host;
  private final ExecLine line;
  private final CompletableFuture<Void> dropped = new CompletableFuture<>();
  private final CompletableFuture<Void> leaving = new CompletableFuture<>();
  private DesiredExec desired;
  private NodeRuntime.@Nullable RunningExec running;
  private long delivered;

  private AgentExec(Host host, DesiredExec desired) {
    this.host = host;
    this.desired = desired;
    this.line = host.session().exec(desired.id());
    if (desired.wanted() == DesiredExec.Wanted.END) {
      dropped.complete(null);
    }
  }

  static AgentExec start(Host host, DesiredExec desired) {
    AgentExec exec = new AgentExec(host, desired);
    Thread.ofVirtual().name("clustered-exec-" + desired.id()).start(exec::live);
    return exec;
  }

  synchronized String id() {
    return desired.id();
  }

  /** It is to end. */
  void drop() {
    dropped.complete(null);
  }

  /** The agent ends. */
  void leave() {
    leaving.complete(null);
  }

  /** Sends new signals on, and the size of its terminal. */
  synchronized void update(DesiredExec newer) {
    Optional<TerminalSize> before = desired.terminal();
    desired = newer;
    if (newer.wanted() == DesiredExec.Wanted.END) {
      drop();
    }
    NodeRuntime.RunningExec process = running;
    if (process == null) {
      return;
    }
    resize(process, before);
    signal(process);
  }

  private synchronized void resize(NodeRuntime.RunningExec process, Optional<TerminalSize> before) {
    desired.terminal().filter(size -> !before.equals(Optional.of(size))).ifPresent(process::resize);
  }

  private synchronized void signal(NodeRuntime.RunningExec process) {
    for (DesiredExec.SentSignal sent : desired.signals()) {
      if (sent.sending() > delivered) {
        delivered = sent.sending();
        process.signal(sent.signal());
      }
    }
  }

  private void live() {
    try {
      ExecDocument document = fetch();
      if (document != null) {
        live(document);
      } else if (dropped.isDone()) {
        // Whoever closed it waits for its end.
        tell(
            ExecEnd.ended(
                new ProcessEnd.Unknown("it was ended before it began"), Optional.empty()));
      }
      // Kept while it is desired, or it would be started again.
      CompletableFuture.anyOf(dropped, leaving).join();
    } catch (RuntimeException e) {
      LOGGER.warn("A command beside a rank failed unexpectedly exec={}", id(), e);
    } finally {
      host.gone(this);
    }
  }

  private @Nullable ExecDocument fetch() {
    Backoff backoff = new Backoff();
    while (!dropped.isDone() && !leaving.isDone()) {
      try {
        return line.document();
      } catch (RefusedException | UnknownException e) {
        return null;
      } catch (IOException e) {
        LOGGER.debug("Document of a command not fetched exec={}", id(), e);
        pause(backoff);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      }
    }
    return null;
  }

  private void live(ExecDocument document) {
    DesiredExec wanted = wanted();
    Optional<RankRun> rank = host.run(new WorkKey(wanted.cluster(), wanted.attempt()));
    if (rank.isEmpty()) {
      tell(ExecEnd.refused(ErrorCode.RANK_NOT_RUNNING, "its node runs the rank no more"));
      return;
    }
    NodeRuntime.Exec exec =
        new NodeRuntime.Exec(wanted.id(), document.command(), document.input(), wanted.terminal());
    try {
      live(rank.get(), begin(rank.get(), exec), document);
    } catch (UnsupportedOperationException e) {
      String why = "runtime " + host.options().runtime().name() + ": " + e.getMessage();
      tell(ExecEnd.refused(ErrorCode.EXEC_UNSUPPORTED, why));
    } catch (IllegalStateException e) {
      tell(ExecEnd.refused(ErrorCode.RANK_NOT_RUNNING, String.valueOf(e.getMessage())));
    }
  }

  private synchronized DesiredExec wanted() {
    return desired;
  }

  private synchronized NodeRuntime.RunningExec begin(RankRun rank, NodeRuntime.Exec exec) {
    NodeRuntime.RunningExec started = rank.exec(exec);
    running = started;
    resize(started, exec.terminal());
    signal(started);
    return started;
  }

  private void live(RankRun rank, NodeRuntime.RunningExec process, ExecDocument document) {
    ExecStreams streams = ExecStreams.start(id(), line, process, document.input());
    CompletableFuture<ProcessEnd> end = process.end();
    CompletableFuture<Void> rankOver = rank.over();
    CompletableFuture.anyOf(end, dropped, rankOver).join();
    Optional<String> because =
        rankOver.isDone() && !dropped.isDone()
            ? Optional.of("rank " + wanted().rank() + " has ended")
            : Optional.empty();
    CompletableFuture<Void> nothingLeft = terminate(process);
    CompletableFuture.anyOf(streams.taken(), dropped, lastWords()).join();
    if (!streams.taken().isDone()) {
      // Nobody takes what it still writes: whoever waits for its end waits for all of it.
      nothingLeft.join();
      streams.stop();
    }
    tell(ExecEnd.ended(end.join(), because));
    nothingLeft.join();
    streams.close();
  }

  /** Done when the agent has been ending for a while. */
  private CompletableFuture<Void> lastWords() {
    return leaving.thenCompose(
        left ->
            new CompletableFuture<Void>()
                .completeOnTimeout(null, LAST_WORDS_SECONDS, TimeUnit.SECONDS));
  }

  /** On a thread of its own: the end is told before what is left behind has ended. */
  private CompletableFuture<Void> terminate(NodeRuntime.RunningExec process) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("clustered-exec-end-" + id())
        .start(
            () -> {
              try {
                process.terminate(GRACE);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (RuntimeException e) {
                LOGGER.warn("A command beside a rank did not end exec={}", id(), e);
              } finally {
                over.complete(null);
              }
            });
    return over;
  }

  private void tell(ExecEnd end) {
    Backoff backoff = new Backoff();
    while (true) {
      try {
        line.end(end);
        return;
      } catch (RefusedException | UnknownException e) {
        return;
      } catch (IOException e) {
        LOGGER.debug("End of a command not taken exec={}", id(), e);
        if (leaving.isDone()) {
          return;
        }
        pause(backoff);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Waits until the next try, or for the end of the agent. */
  private void pause(Backoff backoff) {
    CompletableFuture<Object> over =
        CompletableFuture.anyOf(leaving)
            .completeOnTimeout(this, backoff.next().toMillis(), TimeUnit.MILLISECONDS);
    Object unused = over.join();
  }
}

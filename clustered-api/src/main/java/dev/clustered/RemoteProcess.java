// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ProcessEnd;
import dev.clustered.model.TerminalSize;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A command that runs beside a rank, with its streams. Every byte goes through as it is, once and
 * in order. Both sides wait for one another: a command whose output nobody reads stops at its next
 * write, as it would before a full pipe. Thread-safe; each stream is for one thread at a time, and
 * may be closed from any.
 */
public interface RemoteProcess extends AutoCloseable {

  /**
   * What the command reads. Writing blocks while the command does not read, and is an {@link
   * java.io.IOException} once it has ended, reads no more, or never had an input. To close it is
   * the end of its input; in a terminal, what Ctrl-D is.
   */
  OutputStream standardInput();

  /**
   * What it writes, as soon as it is written; ends when the command has ended. To close it drops
   * what it still writes there.
   */
  InputStream standardOutput();

  /** What it writes to standard error; nothing in a terminal, where both are one. */
  InputStream standardError();

  /**
   * How it ends; known when all that it wrote has been taken, so read both outputs. {@link
   * ProcessEnd.NotStarted} when there is no such program, {@link ProcessEnd.Unknown} when its node
   * was lost. Fails with a {@link dev.clustered.model.ClusterException} when the node could not run
   * it at all: RANK_NOT_RUNNING when its rank ended before, EXEC_UNSUPPORTED when the runtime of
   * the node runs nothing beside a rank.
   */
  CompletableFuture<ProcessEnd> end();

  /** Why it was ended, such as the end of its rank; empty while it runs or when it ended itself. */
  Optional<String> endedBecause();

  /**
   * Sends a signal to the command and its process group; nothing once it has ended. A signal that
   * is sent again before the node has taken it arrives once.
   *
   * @param signal the number that Linux has for it, 1 to 64
   */
  void signal(int signal);

  /**
   * Changes the size of its terminal, of which the command hears by SIGWINCH.
   *
   * @throws IllegalStateException when it has no terminal
   */
  void resize(TerminalSize size);

  /**
   * Ends it with all that it has started: SIGTERM (in a terminal SIGHUP too), SIGKILL to what is
   * left after two seconds. Returns when nothing is left; nothing is to be done for one that has
   * ended.
   */
  @Override
  void close();
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.TerminalSize;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Runs workloads on a node. Assumes nothing about how: a plain process tree or a sandbox.
 * Thread-safe.
 */
public interface NodeRuntime extends AutoCloseable {

  /** The runtime's name, such as {@code process}. */
  String name();

  /** What it can do beside what every runtime can. */
  default Set<Feature> features() {
    return Set.of();
  }

  /**
   * A workload to be run.
   *
   * @param scope the identity of everything it starts; unique on the machine
   * @param command program and arguments, of any size
   * @param environment the whole environment, of any size; nothing is inherited
   * @param directory the working directory, which exists
   * @param files a directory for the runtime's own files, outside the working directory
   * @param log the file that takes standard output and standard error in the order written
   */
  record Work(
      String scope,
      List<String> command,
      Map<String, String> environment,
      Path directory,
      Path files,
      Path log) {}

  /** A workload that was started. Thread-safe. */
  interface Running {

    /** The process id of its first process. */
    long processId();

    /** How its first process ends; never fails. */
    CompletableFuture<ProcessEnd> end();

    /**
     * What is known of a lack of memory, once the first process has ended and until {@link
     * #terminate} is called; empty when there was none, or where nobody can tell.
     */
    default Optional<OutOfMemory> outOfMemory() {
      return Optional.empty();
    }

    /**
     * The processor time that everything the workload started has used so far, all cores together;
     * may fall when a process ends. Empty where the runtime cannot tell.
     */
    default Optional<Duration> processorTime() {
      return Optional.empty();
    }

    /**
     * Has the stack of every process written to the log, as far as each can be had, and returns
     * after the limit at the latest. A process may end by it: only done before {@link #terminate}.
     *
     * @param why what the first line of it says
     */
    default void dumpStacks(String why, Duration limit) throws InterruptedException {
      // A runtime that cannot see the processes has nothing to write.
    }

    /** Sends a signal to the first process and its group; nothing once it has ended. */
    void signal(int signal);

    /**
     * Ends everything the workload started: SIGTERM, SIGKILL after the grace. Returns when nothing
     * is left; needed after a normal end too, for what it left behind.
     */
    void terminate(Duration grace) throws InterruptedException;

    /**
     * Starts a command in the place of the workload: with its environment, working directory and
     * sandbox. It ends with the workload at the latest. One that cannot start has ended with {@link
     * ProcessEnd.NotStarted}.
     *
     * @throws IllegalStateException when the workload is ending or has ended
     * @throws UnsupportedOperationException when the runtime lacks {@link Feature#EXEC}
     */
    default RunningExec exec(Exec exec) {
      throw new UnsupportedOperationException(
          "the runtime of this node runs no command beside a workload; it lacks the feature EXEC");
    }
  }

  /**
   * A command to be run beside a workload.
   *
   * @param id of letters, digits and hyphens; unique on the machine
   * @param command program and arguments, of any size
   * @param withInput whether it is written to; else its standard input is empty
   * @param terminal the size of the terminal to run it in, which {@code TERM} then names as {@code
   *     xterm-256color} unless the workload's environment has another
   */
  record Exec(String id, List<String> command, boolean withInput, Optional<TerminalSize> terminal) {

    /** Without the command, which may hold secrets. */
    @Override
    public String toString() {
      return "Exec[" + id + "]";
    }
  }

  /** A command that was started beside a workload. Thread-safe, its streams are not. */
  interface RunningExec {

    /** What it reads; to close it is the end of its input, in a terminal what Ctrl-D is. */
    OutputStream input();

    /**
     * What it writes; ends when it has ended and nothing of it is left that could write. A read
     * blocks its thread, which should be a platform thread.
     */
    InputStream output();

    /** What it writes to standard error; nothing in a terminal. Read like {@link #output}. */
    InputStream error();

    /** How its first process ends; never fails. */
    CompletableFuture<ProcessEnd> end();

    /** Sends a signal to its first process and its group; nothing once it has ended. */
    void signal(int signal);

    /** Changes the size of its terminal; nothing without one. */
    void resize(TerminalSize size);

    /**
     * Ends everything it started: SIGTERM, in a terminal SIGHUP too, SIGKILL after the grace.
     * Returns when nothing is left; needed after a normal end too. What it wrote before can still
     * be read, and each stream is to be closed.
     */
    void terminate(Duration grace) throws InterruptedException;
  }

  /**
   * Why the program of a workload cannot be started, as far as that is known before it is; empty
   * where it can, or where the runtime cannot tell.
   */
  default Optional<ProcessEnd.NotStarted> missing(Work work) {
    return Optional.empty();
  }

  /** Starts a workload; one that cannot start has ended with {@link ProcessEnd.NotStarted}. */
  Running start(Work work);

  /** Ends every workload and returns when nothing is left; a second call does nothing. */
  @Override
  void close();
}

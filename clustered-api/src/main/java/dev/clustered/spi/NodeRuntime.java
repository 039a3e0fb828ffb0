// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Runs workloads on a node. Assumes nothing about how: a plain process tree or a sandbox.
 * Thread-safe.
 */
public interface NodeRuntime extends AutoCloseable {

  /** The runtime's name, such as {@code process}. */
  String name();

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

    /** Sends a signal to the first process and its group; nothing once it has ended. */
    void signal(int signal);

    /**
     * Ends everything the workload started: SIGTERM, SIGKILL after the grace. Returns when nothing
     * is left; needed after a normal end too, for what it left behind.
     */
    void terminate(Duration grace) throws InterruptedException;
  }

  /** Starts a workload; one that cannot start has ended with {@link ProcessEnd.NotStarted}. */
  Running start(Work work);

  /** Ends every workload and returns when nothing is left; a second call does nothing. */
  @Override
  void close();
}

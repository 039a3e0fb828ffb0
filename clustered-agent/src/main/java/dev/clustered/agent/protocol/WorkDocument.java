// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.HangPolicy;
import dev.clustered.model.Volume;
import dev.clustered.model.Workload;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that one attempt runs, the same for every rank; fetched once, because it may be large.
 * Immutable and thread-safe.
 *
 * @param workload a command or a script; a task comes as {@link TaskLaunch}
 * @param task how the JVM of a Java task is started
 * @param environment the user's variables in order, secrets among them
 * @param files content by path relative to the working directory
 * @param volumes directories to be attached
 * @param firstPort first port from which the leader reserves one
 * @param lastPort last port
 * @param hangPolicy what is looked at while it runs; empty when nobody asks whether it hangs
 */
public record WorkDocument(
    Optional<Workload> workload,
    Optional<TaskLaunch> task,
    Map<String, String> environment,
    Map<String, byte[]> files,
    List<Volume> volumes,
    int firstPort,
    int lastPort,
    Optional<HangPolicy> hangPolicy) {

  /** Of a workload of which nobody asks whether it hangs. */
  public WorkDocument(
      Optional<Workload> workload,
      Optional<TaskLaunch> task,
      Map<String, String> environment,
      Map<String, byte[]> files,
      List<Volume> volumes,
      int firstPort,
      int lastPort) {
    this(workload, task, environment, files, volumes, firstPort, lastPort, Optional.empty());
  }

  /**
   * How the JVM of a Java task is started.
   *
   * @param java the executable
   * @param classPath the host program's class path
   * @param jvmArguments arguments before the main class
   * @param className the task
   * @param input its input as JSON text
   */
  public record TaskLaunch(
      String java,
      String classPath,
      List<String> jvmArguments,
      String className,
      Optional<String> input) {}

  /** Without the environment and the files. */
  @Override
  public String toString() {
    return "WorkDocument[" + environment.size() + " variables, " + files.size() + " files]";
  }
}

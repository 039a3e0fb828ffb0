// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.HangPolicy;
import dev.clustered.model.Volume;
import dev.clustered.model.Workload;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * All that one attempt runs, the same for every rank; fetched once, because it may be large.
 * Immutable and thread-safe.
 *
 * @param workload a command or a script; a task comes as {@link TaskLaunch}
 * @param task how the JVM of a Java task is started
 * @param environment the user's variables in order, secrets among them
 * @param files content by path relative to the working directory
 * @param sent files and directories of the host program's machine, fetched apart
 * @param volumes directories to be attached
 * @param firstPort first port from which the leader reserves one
 * @param lastPort last port
 * @param ports how many in a row the leader reserves: {@code MASTER_PORT} and those after it
 * @param hangPolicy what is looked at while it runs; empty when nobody asks whether it hangs
 */
public record WorkDocument(
    Optional<Workload> workload,
    Optional<TaskLaunch> task,
    Map<String, String> environment,
    Map<String, byte[]> files,
    Optional<SentTree> sent,
    List<Volume> volumes,
    int firstPort,
    int lastPort,
    int ports,
    Optional<HangPolicy> hangPolicy) {

  /** An older engine sends no tree, and asks for one port without saying so. */
  public WorkDocument {
    sent = Objects.requireNonNullElse(sent, Optional.empty());
    ports = Math.max(1, ports);
    hangPolicy = Objects.requireNonNullElse(hangPolicy, Optional.empty());
  }

  /** A document of a work for which one port is reserved. */
  public WorkDocument(
      Optional<Workload> workload,
      Optional<TaskLaunch> task,
      Map<String, String> environment,
      Map<String, byte[]> files,
      Optional<SentTree> sent,
      List<Volume> volumes,
      int firstPort,
      int lastPort) {
    this(
        workload,
        task,
        environment,
        files,
        sent,
        volumes,
        firstPort,
        lastPort,
        1,
        Optional.empty());
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

  /**
   * A tree that is fetched by content.
   *
   * @param manifest SHA-256 of its {@link TreeManifest}, in lower-case hex
   * @param manifestBytes how large the manifest is
   */
  public record SentTree(String manifest, long manifestBytes) {}

  /** Without the environment and the files. */
  @Override
  public String toString() {
    return "WorkDocument[" + environment.size() + " variables, " + files.size() + " files]";
  }
}

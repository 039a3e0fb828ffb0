// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.List;

/** What runs on every rank. */
public sealed interface Workload {

  /** A command as an argument list; no shell is involved unless it is named. */
  record Command(List<String> arguments) implements Workload {
    public Command {
      arguments = List.copyOf(arguments);
    }
  }

  /** A script of any length, run by the interpreter its first line names, or by {@code sh}. */
  record Script(String text) implements Workload {}

  /**
   * A class of the host program, run in a JVM of its own with the host's class path.
   *
   * @param className the binary name of a {@code dev.clustered.ClusterTask} with a constructor
   *     without parameters
   * @param input the value given to every rank; empty when the task takes none
   */
  record Task(String className, java.util.Optional<Object> input) implements Workload {}
}

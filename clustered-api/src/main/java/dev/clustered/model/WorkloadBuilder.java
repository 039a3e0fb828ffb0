// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static dev.clustered.model.SpecValues.given;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The part of {@link ClusterSpec.Builder} that says what runs. Not thread-safe.
 *
 * @param <B> the builder
 */
public abstract sealed class WorkloadBuilder<B extends WorkloadBuilder<B>>
    permits ClusterSpec.Builder {

  final SpecValues values;

  WorkloadBuilder(SpecValues values) {
    this.values = values;
  }

  /** This builder. */
  abstract B same();

  /**
   * The program and its arguments; replaces any other workload. The kernel takes at most 131,071
   * bytes for one argument; a script behind {@code sh -c} or {@code python -c} may be of any size,
   * since it goes by file.
   */
  public B command(String... arguments) {
    return command(Arrays.asList(given("command", arguments)));
  }

  /** The program and its arguments; replaces any other workload. */
  public B command(List<String> arguments) {
    for (int i = 0; i < given("command", arguments).size(); i++) {
      String unused = given("command[" + i + "]", arguments.get(i));
    }
    return workload(new Workload.Command(arguments));
  }

  /** A script of any length; replaces any other workload. */
  public B script(String text) {
    return workload(new Workload.Script(given("script", text)));
  }

  /** The same as {@link #task(Class, Object)}, of a task that takes no input. */
  public B task(Class<?> type) {
    return task(type, Optional.empty());
  }

  /**
   * A class of this program, run on every rank with this input; replaces any other workload.
   *
   * @param type a public {@code ClusterTask} with a public constructor without parameters
   * @param input a value that Jackson can write and read back as the task's input type
   */
  public B task(Class<?> type, Object input) {
    return task(type, Optional.of(input));
  }

  private B task(Class<?> type, Optional<Object> input) {
    B same = workload(new Workload.Task(type.getName(), input));
    values.task = Optional.of(type);
    return same;
  }

  /** What another specification runs; replaces any other workload. */
  public B workload(Workload only) {
    values.workloads.clear();
    values.workloads.add(given("workload", only));
    values.task = Optional.empty();
    return same();
  }
}

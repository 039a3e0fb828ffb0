// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import static dev.clustered.model.SpecValues.given;

import dev.clustered.model.InvalidSpecException.Problem;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Ranks of a cluster that are there for the same: {@code Role.of("worker", 4).command("work")}. All
 * roles of a cluster are placed, launched, run and restarted as one, each rank on a node like those
 * of the others. Checked by {@link ClusterSpec.Builder#build}. Immutable and thread-safe.
 *
 * @param name tells it from the other roles of its cluster: 1 to 63 letters, digits, {@code .},
 *     {@code _} and {@code -}, the first of them a letter or a digit
 * @param nodes how many nodes, and so ranks; 1 or more
 * @param workload what runs on its ranks; the specification's own when empty
 * @param environment variables for its ranks, in order; they win over the specification's own
 * @param until how long its ranks run
 */
@CheckReturnValue
public record Role(
    String name,
    int nodes,
    Optional<Workload> workload,
    Map<String, String> environment,
    Until until) {

  /** How long the ranks of a role run. */
  public enum Until {
    /** Until they have ended by themselves, which the success of the cluster may wait for. */
    OWN_END,
    /**
     * For ever, as a parameter server or a collector of logs does: once the cluster has succeeded
     * without them they are ended as by a stop, with the grace of the specification, and how they
     * end then does not matter. One that ends well before is not missed.
     */
    OTHERS_END
  }

  public Role {
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
  }

  /** So many ranks that run what the specification says, until they end by themselves. */
  public static Role of(String name, int nodes) {
    return new Role(
        given("role", name), nodes, Optional.empty(), new LinkedHashMap<>(), Until.OWN_END);
  }

  /** The same with a program and its arguments of its own. */
  public Role command(String... arguments) {
    return command(Arrays.asList(given("command of the role " + name, arguments)));
  }

  /** The same with a program and its arguments of its own. */
  public Role command(List<String> arguments) {
    String what = "command of the role " + name;
    for (int i = 0; i < given(what, arguments).size(); i++) {
      String unused = given(what + " [" + i + "]", arguments.get(i));
    }
    return workload(new Workload.Command(arguments));
  }

  /** The same with a script of its own, of any length. */
  public Role script(String text) {
    return workload(new Workload.Script(given("script of the role " + name, text)));
  }

  /** The same with a class of this program of its own, which takes no input. */
  public Role task(Class<?> type) {
    return task(type, Optional.empty());
  }

  /**
   * The same with a class of this program of its own and this input.
   *
   * @param type a public {@code ClusterTask} with a public constructor without parameters
   * @param input a value that Jackson can write and read back as the task's input type
   * @throws InvalidSpecException when another JVM can make none of the class
   */
  public Role task(Class<?> type, Object input) {
    return task(type, Optional.of(input));
  }

  private Role task(Class<?> type, Optional<Object> input) {
    TaskRules.problem(type)
        .ifPresent(
            problem -> {
              throw new InvalidSpecException(
                  List.of(
                      new Problem(
                          "task", "of the role " + Names.printable(name) + ": " + problem)));
            });
    return workload(new Workload.Task(type.getName(), input));
  }

  /** The same with a workload of its own. */
  public Role workload(Workload own) {
    return new Role(
        name, nodes, Optional.of(given("workload of the role " + name, own)), environment, until);
  }

  /** The same with one more variable for its ranks, passed byte for byte. */
  public Role environment(String variable, String value) {
    Map<String, String> more = new LinkedHashMap<>(environment);
    more.put(given("environment", variable), given("environment " + variable, value));
    return new Role(name, nodes, workload, more, until);
  }

  /** The same with more variables for its ranks, passed byte for byte. */
  public Role environment(Map<String, String> variables) {
    Role more = this;
    for (Map.Entry<String, String> one : given("environment", variables).entrySet()) {
      more = more.environment(one.getKey(), one.getValue());
    }
    return more;
  }

  /** The same whose ranks may run for ever: they are ended when those of the others have ended. */
  public Role untilOthersEnd() {
    return new Role(name, nodes, workload, environment, Until.OTHERS_END);
  }

  /** Whether its ranks end by themselves, so that somebody may wait for it. */
  public boolean endsByItself() {
    return until == Until.OWN_END;
  }

  /** Name, size and how long it runs; never its environment. */
  @Override
  public String toString() {
    return "%d %s%s".formatted(nodes, name, endsByItself() ? "" : " until the others end");
  }
}

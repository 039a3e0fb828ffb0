// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What to start: the command, the whole environment, and the places it runs in. Immutable.
 *
 * @param command executable and arguments; an executable without a slash is looked up in the
 *     environment's PATH, one with a slash is taken from the working directory
 * @param environment every variable the process gets; nothing is inherited
 * @param directory the working directory, absolute
 * @param output the file that standard output and standard error are appended to, absolute
 * @param scratch an existing directory for what is too large to be an argument, absolute
 */
public record ProcessSpec(
    List<String> command,
    Map<String, String> environment,
    Path directory,
    Path output,
    Path scratch) {

  public ProcessSpec {
    command = List.copyOf(command);
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
    if (command.isEmpty()) {
      throw new IllegalArgumentException("The command is empty. Give at least an executable.");
    }
    for (int index = 0; index < command.size(); index++) {
      requireNoZero("Argument " + index, command.get(index));
    }
    environment.forEach(ProcessSpec::requireVariable);
    requireAbsolute("working directory", directory);
    requireAbsolute("output file", output);
    requireAbsolute("scratch directory", scratch);
  }

  /** The size of the command stands here instead of its text, which may hold secrets. */
  @Override
  public String toString() {
    return "ProcessSpec[executable="
        + command.getFirst()
        + ", arguments="
        + (command.size() - 1)
        + ", variables="
        + environment.size()
        + ", directory="
        + directory
        + ", output="
        + output
        + "]";
  }

  ProcessSpec withVariable(String name, String value) {
    Map<String, String> variables = new LinkedHashMap<>(environment);
    variables.put(name, value);
    return new ProcessSpec(command, variables, directory, output, scratch);
  }

  private static void requireVariable(String name, String value) {
    requireNoZero("An environment name", name);
    requireNoZero("Environment variable " + name, value);
    if (name.isEmpty() || name.indexOf('=') >= 0) {
      throw new IllegalArgumentException(
          "Environment name '" + name + "' is empty or holds '='. Rename the variable.");
    }
  }

  private static void requireNoZero(String what, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          what + " holds a zero character, which no process can receive. Remove it.");
    }
  }

  private static void requireAbsolute(String what, Path path) {
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException(
          "The " + what + " '" + path + "' is relative. Give an absolute path.");
    }
  }
}

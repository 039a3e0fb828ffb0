// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.List;
import java.util.function.BiConsumer;

/** What a workload must obey, so that a process can be made of it. */
final class WorkloadRules {

  private final String path;
  private final BiConsumer<String, String> problems;

  private enum Emptiness {
    ALLOWED,
    REFUSED
  }

  private WorkloadRules(String path, BiConsumer<String, String> problems) {
    this.path = path;
    this.problems = problems;
  }

  /**
   * Notes everything that is wrong as a field and what is wrong with it.
   *
   * @param path what stands before the names of the fields
   */
  static void check(String path, Workload workload, BiConsumer<String, String> problems) {
    WorkloadRules rules = new WorkloadRules(path, problems);
    switch (workload) {
      case Workload.Command command -> rules.command(command.arguments());
      case Workload.Script script -> rules.text("script", script.text(), Emptiness.REFUSED);
      case Workload.Task task -> rules.text("task", task.className(), Emptiness.REFUSED);
    }
  }

  private void command(List<String> arguments) {
    if (arguments.isEmpty() || arguments.getFirst().isEmpty()) {
      add("command", "is empty; its first argument names the program");
    }
    for (int i = 0; i < arguments.size(); i++) {
      text("command[" + i + "]", arguments.get(i), Emptiness.ALLOWED);
    }
  }

  private void text(String field, String value, Emptiness emptiness) {
    if (emptiness == Emptiness.REFUSED && value.isBlank()) {
      add(field, "is empty");
    }
    if (value.indexOf('\0') >= 0) {
      add(field, "has a NUL character, which no process can be given");
    }
    if (Names.hasUnpairedSurrogate(value)) {
      add(field, "has half of a character (an unpaired surrogate), which no bytes stand for");
    }
  }

  private void add(String field, String message) {
    problems.accept(path + field, message);
  }
}

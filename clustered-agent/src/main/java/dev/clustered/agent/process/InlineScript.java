// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** Finds the script text in a command such as {@code bash -ec TEXT}, and words that read a file. */
@SuppressWarnings("ImmutableEnumChecker") // the sets are copies that nobody changes
enum InlineScript {
  SHELL(Set.of("sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"), Set.of("-o", "+o", "-O", "+O")),
  PYTHON(Set.of("python", "python2", "python3"), Set.of("-W", "-X"));

  private static final Set<String> LONG_OPTIONS_WITH_VALUE =
      Set.of("--rcfile", "--init-file", "--check-hash-based-pycs");

  private final Set<String> interpreters;
  private final Set<String> optionsWithValue;

  InlineScript(Set<String> interpreters, Set<String> optionsWithValue) {
    this.interpreters = interpreters;
    this.optionsWithValue = optionsWithValue;
  }

  /** Whether the executable is an interpreter of this kind; versions such as python3.12 count. */
  boolean interprets(String executable) {
    String name = executable.substring(executable.lastIndexOf('/') + 1);
    int dot = name.indexOf('.');
    return interpreters.contains(dot > 0 ? name.substring(0, dot) : name);
  }

  /** Where in the command the script text stands. */
  OptionalInt position(List<String> command) {
    boolean inline = false;
    for (int index = 1; index < command.size(); index++) {
      String word = command.get(index);
      if (!isOption(word)) {
        return inline ? OptionalInt.of(index) : OptionalInt.empty();
      }
      inline |= word.startsWith("-") && !word.startsWith("--") && word.endsWith("c");
      inline |= this == SHELL && word.matches("-[A-Za-z]*c[A-Za-z]*");
      if (inline && this == PYTHON) {
        // Whatever follows -c is the script, even if it looks like an option.
        return index + 1 < command.size() ? OptionalInt.of(index + 1) : OptionalInt.empty();
      }
      if (takesValue(word)) {
        index++;
      }
    }
    return OptionalInt.empty();
  }

  /** A short script that runs the one in a file as if it stood there itself. */
  String reading(Path file) {
    return switch (this) {
      case SHELL -> ". '" + file.toString().replace("'", "'\\''") + "'";
      case PYTHON ->
          "exec(compile(open('"
              + file.toString().replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
              + "', 'rb').read(), '<string>', 'exec'))";
    };
  }

  private boolean takesValue(String word) {
    boolean cluster = word.length() > 1 && !word.startsWith("--");
    String last = cluster ? word.charAt(0) + word.substring(word.length() - 1) : word;
    return optionsWithValue.contains(last) || LONG_OPTIONS_WITH_VALUE.contains(word);
  }

  private static boolean isOption(String word) {
    return word.length() > 1 && (word.startsWith("-") || word.startsWith("+"));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.TerminalSize;
import java.util.List;
import java.util.Optional;

/**
 * A command that is to run beside a rank, and how its streams are to be. Immutable and thread-safe.
 *
 * @param command program and arguments; a program without a slash is looked up in the rank's PATH
 * @param input whether it can be written to
 * @param terminal the size of the terminal that it runs in; without one its streams are pipes
 */
public record ExecRequest(List<String> command, Input input, Optional<TerminalSize> terminal) {

  /** What the command finds as its standard input. */
  public enum Input {
    /** Nothing: it ends at once. */
    NONE,
    /** What is written to {@link RemoteProcess#standardInput}. */
    OPEN
  }

  public ExecRequest {
    command = List.copyOf(command);
    if (command.isEmpty() || command.getFirst().isEmpty()) {
      throw new IllegalArgumentException("the command is empty; give at least a program");
    }
    for (int index = 0; index < command.size(); index++) {
      requireText(index, command.get(index));
    }
    if (terminal.isPresent() && input == Input.NONE) {
      throw new IllegalArgumentException(
          "a command in a terminal has an input: leave out withoutInput or withTerminal");
    }
  }

  /** A command with open input and without a terminal. */
  public static ExecRequest of(List<String> command) {
    return new ExecRequest(command, Input.OPEN, Optional.empty());
  }

  /** A command with open input and without a terminal. */
  public static ExecRequest of(String... command) {
    return of(List.of(command));
  }

  /** The same without input. */
  public ExecRequest withoutInput() {
    return new ExecRequest(command, Input.NONE, terminal);
  }

  /**
   * The same in a terminal of its own, for a shell or an editor. Both outputs are then one, and
   * {@code TERM} is {@code xterm-256color} unless the rank has one of its own.
   *
   * @param columns 1 to 65,535
   * @param rows 1 to 65,535
   */
  public ExecRequest withTerminal(int columns, int rows) {
    return new ExecRequest(command, input, Optional.of(new TerminalSize(columns, rows)));
  }

  /** The number of arguments stands here instead of their text, which may hold secrets. */
  @Override
  public String toString() {
    return "ExecRequest[arguments="
        + (command.size() - 1)
        + ", input="
        + input
        + terminal.map(size -> ", terminal=" + size).orElse("")
        + "]";
  }

  // Arguments are named by their place alone: their text may hold secrets.
  private static void requireText(int index, String text) {
    boolean half = text.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE);
    if (half || text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "argument %d of the command holds %s, which no process can receive; pass it by standard input"
              .formatted(index, half ? "half a character" : "a zero character"));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import dev.clustered.core.cause.LogPattern.Speaker;
import dev.clustered.model.ProcessEnd;
import java.util.List;
import java.util.Optional;

/**
 * What the last lines of a log say about an end. Takes time in proportion to the text, of which it
 * looks at a bounded end, and any text at all.
 *
 * @param gone the pattern that says that a peer had gone before
 * @param child how a process of the launcher's own ended
 */
record LogClues(Optional<LogPattern> gone, Optional<ProcessEnd> child) {

  /** Libraries print stack traces of some 60 lines after the line that matters. */
  static final int MOST_LINES = 200;

  static final int MOST_CHARACTERS = 1 << 16;

  private static final String CHILD_REPORT = "Root Cause (first observed failure):";
  private static final String CHILD_CODE = "exitcode";
  private static final int MOST_DIGITS = 3;

  /** What is said by the log of a rank. */
  static LogClues of(String log, int rank) {
    List<String> lines = lastLines(log);
    Optional<ProcessEnd> child = child(lines);
    Optional<LogPattern> gone =
        LogPattern.ALL.stream()
            .filter(pattern -> counts(pattern.speaker(), child))
            .filter(pattern -> lines.stream().anyMatch(line -> pattern.in(line, rank)))
            .findFirst();
    return new LogClues(gone, child);
  }

  /**
   * Beside the report of a child, what launchers say of others does not count. Nor does what its
   * programs wrote if a signal ended the child: its siblings, victims on the same node, wrote it.
   * An abort is the exception, because a collective that is aborted ends so.
   */
  private static boolean counts(Speaker speaker, Optional<ProcessEnd> child) {
    return switch (speaker) {
      case LAUNCHER -> child.isEmpty();
      case PROGRAM ->
          child.flatMap(Signals::of).filter(signal -> signal != Signals.ABORT).isEmpty();
    };
  }

  private static List<String> lastLines(String log) {
    String end = log.substring(Math.max(0, log.length() - MOST_CHARACTERS));
    List<String> lines = end.lines().toList();
    return lines.subList(Math.max(0, lines.size() - MOST_LINES), lines.size());
  }

  /** From torchrun's table: a negative number is a signal, as Python has it. */
  private static Optional<ProcessEnd> child(List<String> lines) {
    Optional<ProcessEnd> reported = Optional.empty();
    boolean inReport = false;
    for (String line : lines) {
      if (line.contains(CHILD_REPORT)) {
        inReport = true;
      } else if (inReport && line.contains(CHILD_CODE)) {
        reported = end(line.substring(line.indexOf(CHILD_CODE) + CHILD_CODE.length()));
        inReport = false;
      }
    }
    return reported;
  }

  /** From what stands after the word, such as {@code " : -11 (pid: 23)"}. */
  private static Optional<ProcessEnd> end(String rest) {
    String text = rest.strip();
    if (!text.startsWith(":")) {
      return Optional.empty();
    }
    String value = text.substring(1).strip();
    boolean signal = value.startsWith("-");
    int from = signal ? 1 : 0;
    int to = from;
    while (to < value.length() && to - from < MOST_DIGITS && digit(value.charAt(to))) {
      to++;
    }
    if (to == from) {
      return Optional.empty();
    }
    int number = Integer.parseInt(value.substring(from, to));
    return Optional.of(signal ? new ProcessEnd.Signal(number) : new ProcessEnd.Code(number));
  }

  private static boolean digit(char character) {
    return character >= '0' && character <= '9';
  }
}

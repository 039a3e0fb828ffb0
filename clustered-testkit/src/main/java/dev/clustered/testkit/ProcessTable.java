// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All processes of this machine at one moment, read from {@code /proc}.
 *
 * @param rows the processes by id
 */
record ProcessTable(Map<Long, Row> rows) {

  private static final Path PROC = Path.of("/proc");
  private static final int LONGEST_COMMAND = 300;

  /** The parent of all threads of the kernel. */
  private static final long KERNEL = 2;

  /** Variables that people set for a whole build; they mark no rank. */
  private static final List<String> FOR_PEOPLE =
      List.of(RealPart.PYTHON_VARIABLE + "=", RealPart.MODE_VARIABLE + "=");

  /**
   * One process.
   *
   * @param group its process group
   * @param started ticks since the machine's start
   */
  record Row(long id, char state, long parent, long group, String started) {

    /** What no other process ever has: ids are used again, but not in the same tick. */
    String identity() {
      return id + "@" + started;
    }

    boolean zombie() {
      return state == 'Z' || state == 'X';
    }

    /** Whether its environment has a variable of the contract. */
    boolean marked() {
      for (String variable : read("environ").split("\0")) {
        if (variable.startsWith("CLUSTERED_")
            && FOR_PEOPLE.stream().noneMatch(variable::startsWith)) {
          return true;
        }
      }
      return false;
    }

    /**
     * Whether it shows neither environment nor command, as a process does for a moment while it
     * becomes another program: a later look tells. Threads of the kernel never show any.
     */
    boolean undecided() {
      return parent != KERNEL && read("environ").isEmpty() && read("cmdline").isEmpty();
    }

    String describe() {
      String command = read("cmdline").replace('\0', ' ').strip();
      String shown =
          command.length() > LONGEST_COMMAND
              ? command.substring(0, LONGEST_COMMAND) + "…"
              : command;
      return "%d (state %s, parent %d, group %d): %s".formatted(id, state, parent, group, shown);
    }

    /** Empty when the process has ended or belongs to somebody else. */
    private String read(String file) {
      try {
        byte[] bytes = Files.readAllBytes(PROC.resolve(id + "/" + file));
        return new String(bytes, StandardCharsets.ISO_8859_1);
      } catch (IOException e) {
        return "";
      }
    }
  }

  static boolean readable() {
    return Files.isReadable(PROC.resolve("self/stat"));
  }

  static ProcessTable now() {
    Map<Long, Row> rows = new TreeMap<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        row(process).ifPresent(row -> rows.put(row.id(), row));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + PROC, e);
    }
    return new ProcessTable(rows);
  }

  Row self() {
    Row self = rows.get(ProcessHandle.current().pid());
    if (self == null) {
      throw new IllegalStateException("this JVM is missing in " + PROC);
    }
    return self;
  }

  /** Parent, its parent and so on. */
  List<Row> ancestors(Row row) {
    List<Row> found = new ArrayList<>();
    Row next = rows.get(row.parent());
    while (next != null && !found.contains(next)) {
      found.add(next);
      next = rows.get(next.parent());
    }
    return found;
  }

  private static Optional<Row> row(Path process) {
    try {
      String text = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
      // The name stands in parentheses and may hold anything, spaces and parentheses too.
      String[] column = text.substring(text.lastIndexOf(')') + 2).split(" ");
      return Optional.of(
          new Row(
              Long.parseLong(text.substring(0, text.indexOf(' '))),
              column[0].charAt(0),
              Long.parseLong(column[1]),
              Long.parseLong(column[2]),
              column[19]));
    } catch (IOException e) {
      // Ended since it was listed.
      return Optional.empty();
    }
  }
}

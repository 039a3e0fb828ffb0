// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What /proc shows of a process to somebody who wonders where it stands. Reading it may block while
 * the kernel does something to the process. Stateless.
 */
final class ProcessView {

  private static final int MOST_THREADS = 64;

  private ProcessView() {}

  /** Every thread with the place in the kernel where it waits. */
  static String threads(ProcessEntry entry) {
    Path tasks = Path.of("/proc", Integer.toString(entry.pid()), "task");
    StringBuilder text = new StringBuilder();
    try (Stream<Path> threads = Files.list(tasks)) {
      threads.limit(MOST_THREADS).forEach(thread -> text.append(thread(thread)));
    } catch (IOException e) {
      text.append("  its threads cannot be read: it has ended, or belongs to somebody else\n");
    }
    return text.toString();
  }

  private static String thread(Path thread) {
    return "  thread %s (%s)\n    waits in: %s\n    system call: %s\n    kernel stack: %s\n"
        .formatted(
            thread.getFileName(),
            read(thread.resolve("comm")),
            read(thread.resolve("wchan")),
            read(thread.resolve("syscall")),
            read(thread.resolve("stack")).replace("\n", "\n      "));
  }

  private static String read(Path file) {
    try {
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
      return text.isEmpty() ? "nothing" : text;
    } catch (IOException e) {
      return "may not be read";
    }
  }

  /** The file name of its program; empty when it has ended, or belongs to somebody else. */
  static String executable(ProcessEntry entry) {
    try {
      return String.valueOf(
          Files.readSymbolicLink(Path.of("/proc/" + entry.pid() + "/exe")).getFileName());
    } catch (IOException e) {
      return "";
    }
  }

  /** Its name alone: arguments may hold secrets. */
  static String command(ProcessEntry entry) {
    return read(Path.of("/proc/" + entry.pid() + "/comm"));
  }

  static Map<String, String> environment(ProcessEntry entry) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (String variable : read(Path.of("/proc/" + entry.pid() + "/environ")).split("\0", -1)) {
      int equals = variable.indexOf('=');
      if (equals > 0) {
        environment.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
    return environment;
  }
}

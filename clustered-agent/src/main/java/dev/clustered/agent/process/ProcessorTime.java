// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The processor time that processes have used, their ended children among it. Stateless. */
final class ProcessorTime {

  /** The kernel tells it in hundredths of a second on every machine. */
  private static final long TICK_MILLIS = 10;

  private static final int FIRST = 11;
  private static final int LAST = 14;

  private ProcessorTime() {}

  static Duration of(List<ProcessEntry> processes) {
    long ticks = processes.stream().mapToLong(entry -> ticks(stat(entry.pid()))).sum();
    return Duration.ofMillis(ticks * TICK_MILLIS);
  }

  /** Of a /proc/PID/stat; the command name in it may hold blanks and brackets. */
  static long ticks(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
    long sum = 0;
    for (int i = FIRST; i <= LAST && i < fields.length; i++) {
      sum += Long.parseLong(fields[i]);
    }
    return sum;
  }

  private static String stat(int pid) {
    try {
      return new String(
          Files.readAllBytes(Path.of("/proc/" + pid + "/stat")), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return ""; // It has ended.
    }
  }
}

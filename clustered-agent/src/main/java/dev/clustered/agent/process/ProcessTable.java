// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All processes that /proc showed in one pass, by pid. */
record ProcessTable(Map<Integer, ProcessEntry> entries) {
  /** The environment variable that marks every process of a scope. */
  static final String MARKER = "CLUSTERED_SCOPE";

  /** The environment variable that marks every process of a part of a scope. */
  static final String PART_MARKER = "CLUSTERED_EXEC";

  private static final byte[] MARKER_PREFIX = prefix(MARKER);
  private static final byte[] PART_PREFIX = prefix(PART_MARKER);

  /** The parent of all kernel threads. */
  private static final int KERNEL = 2;

  ProcessTable {
    entries = Collections.unmodifiableMap(entries);
  }

  static ProcessTable read() {
    String[] names = new File("/proc").list();
    Map<Integer, ProcessEntry> entries = new LinkedHashMap<>();
    for (String name : names == null ? new String[0] : names) {
      if (Character.isDigit(name.charAt(0))) {
        readEntry("/proc/" + name).ifPresent(entry -> entries.put(entry.pid(), entry));
      }
    }
    return new ProcessTable(entries);
  }

  /** The process that has this pid now, without its scope. */
  static Optional<ProcessEntry> readStat(int pid) {
    return readStat("/proc/" + pid);
  }

  /** This process and those that it descends from, which no scope may ever touch. */
  static Set<Integer> lineage(Map<Integer, ProcessEntry> entries, int self) {
    Set<Integer> lineage = new LinkedHashSet<>();
    lineage.add(1);
    int pid = self;
    while (pid > 0 && lineage.add(pid)) {
      ProcessEntry entry = entries.get(pid);
      pid = entry == null ? 0 : entry.parent();
    }
    return lineage;
  }

  private static Optional<ProcessEntry> readEntry(String directory) {
    return readStat(directory)
        .filter(entry -> entry.pid() != KERNEL && entry.parent() != KERNEL)
        .map(entry -> entry.zombie() ? entry : marked(entry, directory));
  }

  private static Optional<ProcessEntry> readStat(String directory) {
    byte[] stat = bytes(directory + "/stat");
    return ProcessEntry.parse(new String(stat, StandardCharsets.UTF_8));
  }

  private static byte[] prefix(String variable) {
    return (variable + "=").getBytes(StandardCharsets.UTF_8);
  }

  private static ProcessEntry marked(ProcessEntry entry, String directory) {
    byte[] environment = bytes(directory + "/environ");
    String scope = scope(environment);
    return scope == null ? entry : entry.in(scope, value(environment, PART_PREFIX));
  }

  /** The scope id in an environment block. */
  static @Nullable String scope(byte[] environment) {
    return value(environment, MARKER_PREFIX);
  }

  private static @Nullable String value(byte[] environment, byte[] prefix) {
    int start = 0;
    while (start < environment.length) {
      int end = start;
      while (end < environment.length && environment[end] != 0) {
        end++;
      }
      if (startsWith(environment, start, end, prefix)) {
        int value = start + prefix.length;
        return new String(environment, value, end - value, StandardCharsets.UTF_8);
      }
      start = end + 1;
    }
    return null;
  }

  private static boolean startsWith(byte[] environment, int start, int end, byte[] prefix) {
    int length = prefix.length;
    return end - start >= length
        && Arrays.equals(environment, start, start + length, prefix, 0, length);
  }

  /** Nothing when the process is gone or belongs to somebody else. */
  private static byte[] bytes(String file) {
    try (FileInputStream input = new FileInputStream(file)) {
      return input.readAllBytes();
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /** The numbers in one of the kernel's lists of pids, nothing when it cannot be read. */
  static List<Integer> pids(String file) {
    String text = new String(bytes(file), StandardCharsets.US_ASCII);
    List<Integer> pids = new ArrayList<>();
    for (String word : text.split("\\s+", -1)) {
      if (!word.isEmpty()) {
        pids.add(Integer.parseInt(word));
      }
    }
    return pids;
  }
}

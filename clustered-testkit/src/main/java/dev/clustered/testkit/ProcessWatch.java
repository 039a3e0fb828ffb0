// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Processes that this JVM is to blame for. Elsewhere than on Linux it sees descendants only.
 *
 * @param before the identities of all processes that were there
 */
record ProcessWatch(Set<String> before) implements NothingLeft.Watch {

  static ProcessWatch begin() {
    Set<String> identities = new TreeSet<>();
    if (ProcessTable.readable()) {
      ProcessTable.now().rows().values().forEach(row -> identities.add(row.identity()));
    } else {
      ProcessHandle.current().descendants().forEach(p -> identities.add(identity(p)));
    }
    return new ProcessWatch(Collections.unmodifiableSet(identities));
  }

  @Override
  public List<String> left() {
    return ProcessTable.readable() ? leftInTable(ProcessTable.now()) : leftDescendants();
  }

  private List<String> leftInTable(ProcessTable table) {
    List<String> found = new ArrayList<>();
    for (ProcessTable.Row row : table.rows().values()) {
      if (!before.contains(row.identity()) && toBlame(table, row)) {
        found.add("process " + row.describe());
      }
    }
    return found;
  }

  private static boolean toBlame(ProcessTable table, ProcessTable.Row row) {
    ProcessTable.Row self = table.self();
    if (row.id() == self.id()) {
      return false;
    }
    if (row.zombie()) {
      // What an init process does not reap is not ours to reap; a child of this JVM is.
      return row.parent() == self.id();
    }
    List<ProcessTable.Row> holders = table.ancestors(row);
    if (holders.contains(self)) {
      return true;
    }
    boolean suspect = row.marked() || row.undecided();
    return row.group() == self.group() || (suspect && !heldByAnother(table, holders));
  }

  /** Whether a program that did not start this JVM and is no rank itself started the process. */
  private static boolean heldByAnother(ProcessTable table, List<ProcessTable.Row> holders) {
    List<ProcessTable.Row> above = table.ancestors(table.self());
    return holders.stream().anyMatch(holder -> !above.contains(holder) && !holder.marked());
  }

  private List<String> leftDescendants() {
    Map<Long, String> found = new TreeMap<>();
    ProcessHandle.current()
        .descendants()
        .filter(process -> process.isAlive() && !before.contains(identity(process)))
        .forEach(process -> found.put(process.pid(), describe(process)));
    return List.copyOf(found.values());
  }

  private static String identity(ProcessHandle process) {
    return process.pid() + "@" + process.info().startInstant().map(Object::toString).orElse("");
  }

  private static String describe(ProcessHandle process) {
    List<String> words = new ArrayList<>();
    words.add("process " + process.pid());
    process.info().commandLine().ifPresent(words::add);
    return words.stream().collect(Collectors.joining(": "));
  }
}

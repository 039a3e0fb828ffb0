// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One process as /proc shows it.
 *
 * @param startTicks when it started, which tells two holders of one pid apart
 * @param scope the scope id in its environment, null when there is none or it may not be read
 * @param part the id of the part of the scope, null when it is in none
 */
record ProcessEntry(
    int pid,
    int parent,
    int group,
    int session,
    boolean zombie,
    long startTicks,
    @Nullable String scope,
    @Nullable String part) {
  private static final int STATE = 0;
  private static final int PARENT = 1;
  private static final int GROUP = 2;
  private static final int SESSION = 3;
  private static final int START = 19;

  /** One that is in no part of its scope. */
  ProcessEntry(
      int pid,
      int parent,
      int group,
      int session,
      boolean zombie,
      long startTicks,
      @Nullable String scope) {
    this(pid, parent, group, session, zombie, startTicks, scope, null);
  }

  /** Parses /proc/PID/stat; the command name in it may hold blanks and brackets. */
  static Optional<ProcessEntry> parse(String stat) {
    int open = stat.indexOf('(');
    int close = stat.lastIndexOf(')');
    if (open < 0 || close < open) {
      return Optional.empty();
    }
    String[] fields = stat.substring(close + 1).strip().split(" ", -1);
    if (fields.length <= START) {
      return Optional.empty();
    }
    char state = fields[STATE].charAt(0);
    return Optional.of(
        new ProcessEntry(
            Integer.parseInt(stat.substring(0, open).strip()),
            Integer.parseInt(fields[PARENT]),
            Integer.parseInt(fields[GROUP]),
            Integer.parseInt(fields[SESSION]),
            state == 'Z' || state == 'X',
            Long.parseLong(fields[START]),
            null));
  }

  ProcessEntry in(@Nullable String ofScope, @Nullable String ofPart) {
    return new ProcessEntry(pid, parent, group, session, zombie, startTicks, ofScope, ofPart);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Tells which processes belong to a scope and remembers those it has seen. A process belongs when
 * its environment carries the marker, when its cgroup or session is one of the scope's, or when it
 * descends from one that belongs. Not thread-safe.
 */
final class ScopeMembers {
  private final Predicate<ProcessEntry> marked;
  private final int self;
  private final Set<Integer> sessions = new LinkedHashSet<>();

  /** Start ticks by pid. */
  private final Map<Integer, Long> seen = new LinkedHashMap<>();

  ScopeMembers(String scope, int self) {
    this(entry -> scope.equals(entry.scope()), self);
  }

  /** Of a scope, or of a part of one, whose marker is told by a condition. */
  ScopeMembers(Predicate<ProcessEntry> marked, int self) {
    this.marked = marked;
    this.self = self;
  }

  /** Adds the session of a process that the scope started. */
  void addSession(int pid) {
    sessions.add(pid);
  }

  /** A session of which nothing is left: its number may become a stranger's. */
  void removeSession(int pid) {
    sessions.remove(pid);
  }

  /** Whether nothing was started since the last time everything had ended. */
  boolean unused() {
    return sessions.isEmpty() && seen.isEmpty();
  }

  void clear() {
    sessions.clear();
    seen.clear();
  }

  /**
   * The living processes of the scope.
   *
   * @param leaders pids of processes the scope started and has not waited for yet
   * @param inCgroup pids in the scope's cgroup
   */
  List<ProcessEntry> find(ProcessTable table, Set<Integer> leaders, Set<Integer> inCgroup) {
    Set<Integer> untouchable = ProcessTable.lineage(table.entries(), self);
    List<ProcessEntry> candidates = new ArrayList<>();
    for (ProcessEntry entry : table.entries().values()) {
      if (!entry.zombie() && !untouchable.contains(entry.pid())) {
        candidates.add(entry);
      }
    }
    forgetReusedSessions(table, leaders);
    Map<Integer, ProcessEntry> members = new LinkedHashMap<>();
    int before;
    do {
      before = members.size();
      for (ProcessEntry entry : candidates) {
        if (inCgroup.contains(entry.pid()) || belongs(entry, members)) {
          add(entry, members);
        }
      }
    } while (members.size() > before);
    return List.copyOf(members.values());
  }

  /** Children of ours that ended inside the scope after their own parent had gone. */
  List<Integer> adoptedZombies(ProcessTable table, Set<Integer> leaders) {
    List<Integer> zombies = new ArrayList<>();
    for (ProcessEntry entry : table.entries().values()) {
      boolean adopted = entry.zombie() && entry.parent() == self && !leaders.contains(entry.pid());
      if (adopted && (sessions.contains(entry.session()) || wasSeen(entry))) {
        zombies.add(entry.pid());
      }
    }
    return zombies;
  }

  private boolean belongs(ProcessEntry entry, Map<Integer, ProcessEntry> members) {
    return marked.test(entry)
        || sessions.contains(entry.session())
        || members.containsKey(entry.parent())
        || wasSeen(entry);
  }

  private void add(ProcessEntry entry, Map<Integer, ProcessEntry> members) {
    members.put(entry.pid(), entry);
    seen.put(entry.pid(), entry.startTicks());
    if (entry.session() == entry.pid()) {
      sessions.add(entry.pid());
    }
  }

  private boolean wasSeen(ProcessEntry entry) {
    Long startTicks = seen.get(entry.pid());
    return startTicks != null && startTicks == entry.startTicks();
  }

  // The kernel gives the number of a session away only when the session is empty. So a process
  // that has the number but is not the leader we know proves that the session is another one.
  private void forgetReusedSessions(ProcessTable table, Set<Integer> leaders) {
    sessions.removeIf(
        session -> {
          ProcessEntry leader = table.entries().get(session);
          return leader != null && !leaders.contains(session) && !wasSeen(leader);
        });
  }
}

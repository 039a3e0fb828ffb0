// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The steps by which a scope ends. One ending at a time; {@link #addSession} at any time. */
final class ScopeEnd {
  private static final Logger LOGGER = LoggerFactory.getLogger(ScopeEnd.class);
  private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long STUCK = TimeUnit.SECONDS.toNanos(10);

  /** One empty pass proves nothing: a process may have forked while the pass went by. */
  private static final int EMPTY_PASSES = 2;

  private static final int MOST_HOLDS = 10;

  private final String scope;
  private final ProcessScanner scanner;
  private final Optional<Cgroup> cgroup;
  private final ScopeMembers members;

  private final int self;

  ScopeEnd(String scope, ProcessScanner scanner, Optional<Cgroup> cgroup, int self) {
    this(scope, scanner, cgroup, self, new ScopeMembers(scope, self));
  }

  private ScopeEnd(
      String scope,
      ProcessScanner scanner,
      Optional<Cgroup> cgroup,
      int self,
      ScopeMembers members) {
    this.scope = scope;
    this.scanner = scanner;
    this.cgroup = cgroup;
    this.self = self;
    this.members = members;
  }

  /** The end of a part of the scope: without its cgroup, in which the rest is too. */
  ScopeEnd ofPart(String id) {
    ScopeMembers some =
        new ScopeMembers(entry -> scope.equals(entry.scope()) && id.equals(entry.part()), self);
    return new ScopeEnd(scope + "/" + id, scanner, Optional.empty(), self, some);
  }

  synchronized void addSession(int pid) {
    members.addSession(pid);
  }

  synchronized void removeSession(int pid) {
    members.removeSession(pid);
  }

  /** What runs of it now. */
  List<ProcessEntry> members(List<RankProcess> processes) {
    return alive(processes);
  }

  void run(List<RankProcess> processes, Ending ending) {
    if (unused()) {
      return;
    }
    boolean interrupted = false;
    int empty = 0;
    try {
      if (!ending.graceOver()) {
        empty = askToEnd(processes);
        empty = awaitGrace(processes, ending, empty);
      }
    } catch (InterruptedException e) {
      interrupted = true;
      empty = 0;
    }
    killAll(processes, empty);
    processes.forEach(process -> process.exit().handle((exit, failure) -> true).join());
    synchronized (this) {
      members.clear();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean unused() {
    return members.unused();
  }

  /** How many passes in a row have found nothing. */
  private int askToEnd(List<RankProcess> processes) {
    Set<Integer> groups = leaders(processes);
    // Looked up first: once a parent has ended, a child that left its session and its environment
    // behind cannot be told from a stranger.
    List<ProcessEntry> alive = alive(processes);
    processes.forEach(process -> process.signal(LibC.SIGTERM));
    for (ProcessEntry entry : alive) {
      if (!groups.contains(entry.group())) {
        ProcessSignal.send(entry, LibC.SIGTERM);
      }
    }
    return alive.isEmpty() ? 1 : 0;
  }

  private int awaitGrace(List<RankProcess> processes, Ending ending, int empty)
      throws InterruptedException {
    CompletableFuture<?>[] exits =
        processes.stream().map(RankProcess::exit).toArray(CompletableFuture[]::new);
    CompletableFuture<Boolean> all =
        CompletableFuture.allOf(exits).handle((nothing, failure) -> true);
    // Once it is done: whoever is woken sooner looks too early, and sleeps for the whole grace.
    CompletableFuture<Void> unused = all.thenRun(ending::wake);
    long pause = SHORTEST_PAUSE;
    while (!ending.graceOver()) {
      long known = ending.changes();
      if (!all.isDone()) {
        ending.pause(known, Long.MAX_VALUE);
      } else if (alive(processes).isEmpty()) {
        return empty + 1;
      } else {
        ending.pause(known, pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
    }
    return 0;
  }

  private void killAll(List<RankProcess> processes, int emptyBefore) {
    long started = System.nanoTime();
    boolean told = false;
    long pause = SHORTEST_PAUSE;
    int empty = emptyBefore;
    List<ProcessEntry> alive = empty < EMPTY_PASSES ? hold(processes) : List.of();
    while (empty < EMPTY_PASSES) {
      cgroup.ifPresent(Cgroup::kill);
      alive.forEach(entry -> ProcessSignal.send(entry, LibC.SIGKILL));
      empty = alive.isEmpty() ? empty + 1 : 0;
      if (!alive.isEmpty()) {
        awaitEnd(processes, pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
      if (!told && System.nanoTime() - started > STUCK) {
        told = true;
        LOGGER.warn(
            "Processes survive SIGKILL, likely stuck in a driver or on storage; still waiting "
                + "scope={} pids={}",
            scope,
            alive.stream().map(ProcessEntry::pid).toList());
      }
      if (empty < EMPTY_PASSES) {
        alive = alive(processes);
      }
    }
  }

  /** Waits for the ends that we are told of, and a moment longer for the others. */
  private static void awaitEnd(List<RankProcess> processes, long pause) {
    long known = System.nanoTime() + LONGEST_PAUSE;
    while (processes.stream().anyMatch(RankProcess::running) && System.nanoTime() < known) {
      LockSupport.parkNanos(SHORTEST_PAUSE);
    }
    LockSupport.parkNanos(pause);
  }

  /**
   * Stops everything before the first process dies, so that all are seen while their parents still
   * tell whose they are. What forks faster than it can be stopped is killed as it is found.
   *
   * @return what was found last
   */
  private List<ProcessEntry> hold(List<RankProcess> processes) {
    Set<Integer> held = new LinkedHashSet<>();
    List<ProcessEntry> alive = alive(processes);
    for (int pass = 1; pass < MOST_HOLDS && stop(alive, held); pass++) {
      alive = alive(processes);
    }
    return alive;
  }

  /** Stops those that are not held yet; whether there were any. */
  private static boolean stop(List<ProcessEntry> alive, Set<Integer> held) {
    boolean any = false;
    for (ProcessEntry entry : alive) {
      if (held.add(entry.pid())) {
        ProcessSignal.send(entry, LibC.SIGSTOP);
        any = true;
      }
    }
    return any;
  }

  private synchronized List<ProcessEntry> alive(List<RankProcess> processes) {
    // Leaders are taken before the pass, so that one that ends during it is still known.
    Set<Integer> leaders = leaders(processes);
    ProcessTable table = scanner.scan();
    Set<Integer> inCgroup = new LinkedHashSet<>(cgroup.map(Cgroup::pids).orElse(List.of()));
    List<ProcessEntry> alive = members.find(table, leaders, inCgroup);
    members.adoptedZombies(table, leaders).forEach(Wait::reap);
    return alive;
  }

  private static Set<Integer> leaders(List<RankProcess> processes) {
    return processes.stream()
        .filter(RankProcess::running)
        .map(RankProcess::pid)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * Starts and ends the processes of all nodes that one JVM hosts. One guardian process stands by
 * from the first scope on and ends all of them should this JVM die. Thread-safe.
 */
public final class ProcessSupervisor implements AutoCloseable {
  private static final Pattern SCOPE_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  private static final int SELF = Math.toIntExact(ProcessHandle.current().pid());

  private final InstantSource clock;
  private final Launcher launcher = new Launcher();
  private final ProcessScanner scanner = new ProcessScanner();
  private final Guardian guardian;
  private final Optional<Path> cgroups;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, ProcessScope> scopes = new LinkedHashMap<>();
  private boolean closed;

  ProcessSupervisor(InstantSource clock, Optional<Path> cgroups) {
    this.clock = clock;
    this.cgroups = cgroups;
    this.guardian = new Guardian(new Spawn(), clock);
  }

  /** A supervisor that takes start times from the given clock. */
  public static ProcessSupervisor open(InstantSource clock) {
    return new ProcessSupervisor(clock, Cgroup.own());
  }

  /**
   * Why a program could not be started with an environment in a directory; empty where it could.
   */
  public static Optional<SpawnFailure> missing(
      String program, Map<String, String> environment, Path directory) {
    return switch (ExecutableLookup.find(program, environment, directory)) {
      case ExecutableLookup.Result.Found found -> Optional.empty();
      case ExecutableLookup.Result.Failed missing -> Optional.of(missing.failure());
    };
  }

  /**
   * A new scope. Should this JVM die, its processes end and its directory is removed.
   *
   * @param id letters, digits, dots, dashes and underscores; unique on this machine
   * @param directory absolute and with the id in its path, so that no other is ever removed
   * @throws IllegalArgumentException when the id or the directory is not of that form, or the id is
   *     in use here
   * @throws IllegalStateException when this supervisor is closed, or no guardian can be started
   */
  public ProcessScope scope(String id, Path directory) {
    requireId(id);
    requireDirectory(id, directory);
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("The supervisor is closed; scope " + id + " is too late.");
      }
      if (scopes.containsKey(id)) {
        throw new IllegalArgumentException(
            "Process scope '" + id + "' is open already. Close it, or choose another id.");
      }
      ProcessScope scope = create(id, directory);
      scopes.put(id, scope);
      return scope;
    } finally {
      lock.unlock();
    }
  }

  /** Ends all scopes without grace, then the guardian. Idempotent. */
  @Override
  public void close() {
    List<ProcessScope> left;
    lock.lock();
    try {
      closed = true;
      left = List.copyOf(scopes.values());
    } finally {
      lock.unlock();
    }
    left.forEach(ProcessScope::close);
    guardian.close();
  }

  Guardian guardian() {
    return guardian;
  }

  ProcessScanner scanner() {
    return scanner;
  }

  private ProcessScope create(String id, Path directory) {
    Optional<Cgroup> cgroup = cgroups.flatMap(parent -> Cgroup.create(parent, id));
    try {
      guardian.register(id, cgroup.map(Cgroup::directory), directory);
    } catch (RuntimeException e) {
      cgroup.ifPresent(Cgroup::remove);
      throw e;
    }
    ScopeEnd end = new ScopeEnd(id, scanner, cgroup, SELF);
    return new ProcessScope(id, launcher, clock, cgroup, end, () -> forget(id));
  }

  private void forget(String id) {
    guardian.unregister(id);
    lock.lock();
    try {
      scopes.remove(id);
    } finally {
      lock.unlock();
    }
  }

  private static void requireId(String id) {
    if (!SCOPE_ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "Process scope id '" + id + "' does not match " + SCOPE_ID + ". Choose another id.");
    }
  }

  private static void requireDirectory(String id, Path directory) {
    String text = directory.toString();
    boolean plain = directory.isAbsolute() && directory.equals(directory.normalize());
    if (!plain || !text.contains(id) || text.indexOf('\n') >= 0) {
      throw new IllegalArgumentException(
          "Directory '"
              + directory
              + "' of process scope "
              + id
              + " must be absolute and hold the id in its path. Put it into a directory of that"
              + " name.");
    }
  }
}

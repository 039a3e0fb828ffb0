// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import java.io.File;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whether this process may open as many files as one more command beside a rank needs. A JVM that
 * has reached its limit fails anywhere, and its ranks with it, so such a command is refused before
 * anything of it is opened. Thread-safe.
 */
public final class ExecRoom {

  /** Both ends of three pipes while it is started, and what ends the waiting on each of ours. */
  private static final int OF_A_START = 9;

  /** The connections for its streams, at both ends where the engine is in this process too. */
  private static final int OF_CONNECTIONS = 8;

  /** For the program itself. */
  private static final int RESERVE = 40;

  private static final long LIMIT_BYTES = 16;

  private final ReentrantLock lock = new ReentrantLock();
  private int held;

  /** Room of a process in which no command runs yet. */
  public ExecRoom() {}

  /** Takes room for one more command, until {@link #leave}; or says why there is none. */
  public Optional<SpawnFailure> enter() {
    lock.lock();
    try {
      long limit = limit();
      // The connections of those that run may be yet to come.
      long needed = OF_A_START + OF_CONNECTIONS * (held + 1L) + RESERVE;
      long open = open(limit);
      if (limit >= 0 && open + needed > limit) {
        return Optional.of(
            new SpawnFailure(
                SpawnFailure.Reason.SYSTEM,
                "A command beside a rank needs about %d open files while %d others run, and the process of its agent may have %d, of which %d are open. Raise the limit (ulimit -n), or run fewer commands at a time."
                    .formatted(needed, held, limit, open)));
      }
      held++;
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Nothing of a command is left. */
  public void leave() {
    lock.lock();
    try {
      held--;
    } finally {
      lock.unlock();
    }
  }

  /** The most files that may be open; less than zero without a limit. */
  private static long limit() {
    try (Memory limit = new Memory(LIMIT_BYTES)) {
      return LibC.getrlimit(LibC.RLIMIT_NOFILE, limit) == 0 ? limit.getLong(0) : -1;
    }
  }

  /** To look takes a descriptor too: without one all are taken. */
  private static long open(long limit) {
    String[] names = new File("/proc/self/fd").list();
    return names == null ? limit : names.length;
  }
}

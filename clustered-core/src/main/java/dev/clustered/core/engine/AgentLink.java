// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.DesiredExec;
import dev.clustered.agent.protocol.DesiredState;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.model.NodeId;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** One node's line to its agent: its secrets, what is desired of it, when it was last heard. */
final class AgentLink {

  final NodeId node;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private byte[] joinToken;
  private byte[] session = new byte[0];
  private Optional<String> arriving = Optional.empty();
  private DesiredState desired = new DesiredState(1, List.of());
  private final Map<String, DesiredExec> execs = new LinkedHashMap<>();
  private long lastHeard;
  private long sequence = -1;
  private boolean closed;

  AgentLink(NodeId node, byte[] joinToken, long now) {
    this.node = node;
    this.joinToken = joinToken;
    this.lastHeard = now;
  }

  /**
   * Takes the token and sets the session's secret. The answer may be lost on its way, so the token
   * is void only when a session that came of it is used; a repeated join ends the session before.
   */
  boolean join(byte[] token, byte[] secret, String address, long now) {
    lock.lock();
    try {
      boolean good = joinToken.length > 0 && MessageDigest.isEqual(joinToken, token) && !closed;
      if (good) {
        session = secret;
        arriving = Optional.of(address);
        lastHeard = now;
      }
      return good;
    } finally {
      lock.unlock();
    }
  }

  boolean admits(byte[] secret, long now) {
    lock.lock();
    try {
      boolean good = session.length > 0 && MessageDigest.isEqual(session, secret) && !closed;
      if (good) {
        joinToken = new byte[0];
        lastHeard = now;
      }
      return good;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The node's address, once, when its session has come into use: a node whose answer was lost or
   * that is slow to come back has not arrived, and cannot be silent.
   */
  Optional<String> arrival() {
    lock.lock();
    try {
      Optional<String> arrived = joinToken.length == 0 ? arriving : Optional.empty();
      arriving = arrived.isPresent() ? Optional.empty() : arriving;
      return arrived;
    } finally {
      lock.unlock();
    }
  }

  long lastHeard() {
    lock.lock();
    try {
      return lastHeard;
    } finally {
      lock.unlock();
    }
  }

  /** Whether this report is newer than every one before it. */
  boolean newer(long reported) {
    lock.lock();
    try {
      boolean newer = reported > sequence;
      sequence = Math.max(sequence, reported);
      return newer;
    } finally {
      lock.unlock();
    }
  }

  /** The generation that holds from now on. */
  long desire(List<DesiredWork> work) {
    lock.lock();
    try {
      if (!desired.work().equals(work)) {
        next(work);
      }
      return desired.generation();
    } finally {
      lock.unlock();
    }
  }

  private void next(List<DesiredWork> work) {
    desired = new DesiredState(desired.generation() + 1, work, List.copyOf(execs.values()));
    changed.signalAll();
  }

  /** A command beside a rank is to run; false when the node is gone. */
  boolean add(DesiredExec exec) {
    lock.lock();
    try {
      if (!closed) {
        execs.put(exec.id(), exec);
        next(desired.work());
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Something else is desired of a command that is to run. */
  void update(DesiredExec exec) {
    lock.lock();
    try {
      if (execs.replace(exec.id(), exec) != null) {
        next(desired.work());
      }
    } finally {
      lock.unlock();
    }
  }

  /** A command is not to run any more; whether it was to. */
  boolean remove(String exec) {
    lock.lock();
    try {
      boolean known = execs.remove(exec) != null;
      if (known) {
        next(desired.work());
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  /** The desired state as soon as it is newer than a generation. */
  Optional<DesiredState> await(long generation, long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while (desired.generation() <= generation && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return desired.generation() > generation ? Optional.of(desired) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Nobody is admitted any more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

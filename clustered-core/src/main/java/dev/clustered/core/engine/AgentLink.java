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
  private DesiredState desired;

  /** Whether it is known what is desired: an agent that knows another engine's word keeps to it. */
  private boolean told;

  private final Map<String, DesiredExec> execs = new LinkedHashMap<>();
  private long lastHeard;
  private long sequence = -1;
  private boolean closed;

  private AgentLink(NodeId node, byte[] joinToken, long now, long generation, boolean told) {
    this.node = node;
    this.joinToken = joinToken;
    this.lastHeard = now;
    this.desired = new DesiredState(generation, List.of());
    this.told = told;
  }

  /** The line to a node that is about to be launched; its agent has one token to join with. */
  static AgentLink expected(NodeId node, byte[] joinToken, long now, long generation) {
    return new AgentLink(node, joinToken, now, generation, true);
  }

  /**
   * The line to a node that an engine before this one had. Nothing is said until it is known what
   * is desired.
   *
   * @param joinToken none when its agent has joined
   * @param generation greater than any that an engine before gave
   */
  static AgentLink restored(NodeId node, byte[] joinToken, long now, long generation) {
    return new AgentLink(node, joinToken, now, generation, false);
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

  /** Whether no session of its agent is known, though there may be one that another engine gave. */
  boolean knowsNoSession() {
    lock.lock();
    try {
      return session.length == 0 && !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Takes a session that an engine before this one gave to an agent at an address. */
  void adopt(byte[] secret, String address) {
    lock.lock();
    try {
      if (session.length == 0) {
        session = secret;
        arriving = Optional.of(address);
      }
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
      if (!told || !desired.work().equals(work)) {
        told = true;
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

  /** Something else is desired of a command that is to run; whether it was to. */
  boolean update(DesiredExec exec) {
    lock.lock();
    try {
      boolean known = execs.replace(exec.id(), exec) != null;
      if (known) {
        next(desired.work());
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  /** A command is over. */
  void remove(String exec) {
    lock.lock();
    try {
      if (execs.remove(exec) != null) {
        next(desired.work());
      }
    } finally {
      lock.unlock();
    }
  }

  /** The desired state as soon as it is newer than a generation. */
  Optional<DesiredState> await(long generation, long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while ((!told || desired.generation() <= generation) && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return told && desired.generation() > generation ? Optional.of(desired) : Optional.empty();
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

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.DesiredExec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The commands beside the works of a node, brought in line with what is desired. Thread-safe. */
final class AgentExecs {

  private final AgentExec.Host host;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition emptied = lock.newCondition();
  private final Map<String, AgentExec> execs = new TreeMap<>();
  private boolean ending;

  AgentExecs(AgentExec.Host host) {
    this.host = host;
  }

  /** Takes what is desired now. */
  void apply(List<DesiredExec> desired) {
    lock.lock();
    try {
      Map<String, DesiredExec> wanted = new TreeMap<>();
      desired.forEach(exec -> wanted.put(exec.id(), exec));
      execs.values().stream()
          .filter(exec -> !wanted.containsKey(exec.id()))
          .forEach(AgentExec::drop);
      wanted.values().forEach(this::bring);
    } finally {
      lock.unlock();
    }
  }

  private void bring(DesiredExec wanted) {
    AgentExec known = execs.get(wanted.id());
    if (known != null) {
      known.update(wanted);
    } else if (!ending) {
      execs.put(wanted.id(), AgentExec.start(host, wanted));
    }
  }

  /** Removes one of which nothing is left and which is not desired any more. */
  void remove(AgentExec exec) {
    lock.lock();
    try {
      boolean unused = execs.remove(exec.id(), exec);
      if (execs.isEmpty()) {
        emptied.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes no new one, and lets each go soon after its rank has ended. */
  void end() {
    lock.lock();
    try {
      ending = true;
      execs.values().forEach(AgentExec::leave);
    } finally {
      lock.unlock();
    }
  }

  void awaitEmpty() {
    lock.lock();
    try {
      while (!execs.isEmpty()) {
        emptied.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}

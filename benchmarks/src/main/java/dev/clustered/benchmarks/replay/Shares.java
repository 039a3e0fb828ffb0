// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.core.plan.QueueTree;
import dev.clustered.core.plan.QueueTree.QueueShare;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the CPUs that each queue uses, apart from the planner, and stops when one uses more than
 * its own and what it may borrow. Only for trees of which every queue has a limit to what it
 * borrows.
 */
final class Shares {

  private final Map<String, QueueShare> queues = new HashMap<>();
  private final Map<String, Long> used = new HashMap<>();

  Shares(QueueTree tree) {
    tree.queues().forEach(queue -> queues.put(queue.name(), queue));
  }

  /** A gang of a queue starts, or ends with a negative number. */
  void use(String queue, long cpus) {
    String at = queue;
    while (!at.isEmpty() && !queues.isEmpty()) {
      QueueShare share = queues.get(at);
      if (share == null) {
        throw new IllegalStateException("there is no queue " + at);
      }
      long now = used.merge(at, cpus, Long::sum);
      long most = share.nominal().cpus() + (long) share.borrowing().orElseThrow().cpus();
      if (now > most) {
        throw new IllegalStateException(
            "the queue %s uses %d CPUs of %d at most".formatted(at, now, most));
      }
      at = share.parent();
    }
  }
}

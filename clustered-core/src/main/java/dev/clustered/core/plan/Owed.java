// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ByteSize;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is promised of nodes that are still in use: when it comes free, it is not free for others.
 * Not thread-safe.
 */
final class Owed {

  private final Map<NodeId, Resources> byNode = new TreeMap<>();

  /** Promises something more of a node. */
  void add(NodeId node, Resources amount) {
    if (!amount.equals(nothingOf(amount))) {
      byNode.merge(node, amount, Resources::plus);
    }
  }

  boolean isEmpty() {
    return byNode.isEmpty();
  }

  Owed copy() {
    Owed copy = new Owed();
    copy.byNode.putAll(byNode);
    return copy;
  }

  void become(Owed other) {
    byNode.clear();
    byNode.putAll(other.byNode);
  }

  /** What of a part that comes free is nobody's: the part itself when nothing of it is owed. */
  Holding rest(Holding freed) {
    Resources owed = byNode.get(freed.node());
    if (owed == null) {
      return freed;
    }
    Resources kept = least(owed, freed.takes());
    Resources left = owed.minus(kept);
    if (left.equals(nothingOf(left))) {
      byNode.remove(freed.node());
    } else {
      byNode.put(freed.node(), left);
    }
    int gpus = Math.min(freed.gpus().size(), kept.gpus());
    return new Holding(
        freed.node(), freed.takes().minus(kept), freed.gpus().subList(gpus, freed.gpus().size()));
  }

  private static Resources nothingOf(Resources amount) {
    return amount.minus(amount);
  }

  static Resources least(Resources one, Resources other) {
    return new Resources(
        Math.min(one.gpus(), other.gpus()),
        one.gpuModel(),
        Math.min(one.cpus(), other.cpus()),
        one.memory().compareTo(other.memory()) < 0 ? one.memory() : other.memory());
  }

  /** What one has beyond the other, nothing where it has less. */
  static Resources beyond(Resources one, Resources other) {
    return new Resources(
        Math.max(0, one.gpus() - other.gpus()),
        one.gpuModel(),
        Math.max(0, one.cpus() - other.cpus()),
        new ByteSize(Math.max(0, one.memory().bytes() - other.memory().bytes())));
  }
}

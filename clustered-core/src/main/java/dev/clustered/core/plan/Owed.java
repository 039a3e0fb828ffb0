// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ByteSize;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is promised of nodes that are still in use: when it comes free, it is not free for others.
 * Not thread-safe.
 */
final class Owed {

  /** What is owed of the nodes of which nothing is said here. */
  private final @Nullable Owed before;

  private final Map<NodeId, Resources> byNode = new TreeMap<>();

  Owed() {
    this(null);
  }

  private Owed(@Nullable Owed before) {
    this.before = before;
  }

  /** Promises so much of a node in all, instead of what was promised of it before. */
  void put(NodeId node, Resources amount) {
    byNode.put(node, amount);
  }

  /** What is promised of a node, if anything is. */
  Optional<Resources> of(NodeId node) {
    for (Owed at = this; at != null; at = at.before) {
      Resources amount = at.byNode.get(node);
      if (amount != null) {
        return nothing(amount) ? Optional.empty() : Optional.of(amount);
      }
    }
    return Optional.empty();
  }

  /** The same to go on from, which costs nothing; sees what changes here of other nodes. */
  Owed copy() {
    return new Owed(this);
  }

  /** What of a part that comes free is nobody's: the part itself when nothing of it is owed. */
  Holding rest(Holding freed) {
    Optional<Resources> owed = of(freed.node());
    if (owed.isEmpty()) {
      return freed;
    }
    Resources kept = least(owed.get(), freed.takes());
    put(freed.node(), owed.get().minus(kept));
    int gpus = Math.min(freed.gpus().size(), kept.gpus());
    return new Holding(
        freed.node(), freed.takes().minus(kept), freed.gpus().subList(gpus, freed.gpus().size()));
  }

  static boolean nothing(Resources amount) {
    return amount.equals(amount.minus(amount));
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

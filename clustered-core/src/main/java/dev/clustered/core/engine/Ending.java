// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.Lifetime;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.model.ClusterException;
import dev.clustered.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Ends what an engine holds, but for the clusters that outlive it. One use. */
final class Ending {

  private final EngineLoop loop;
  private final ClusterRegister clusters;
  private final CompletableFuture<Void> empty = new CompletableFuture<>();

  Ending(EngineLoop loop, ClusterRegister clusters) {
    this.loop = loop;
    this.clusters = clusters;
  }

  /**
   * Returns when nothing is left.
   *
   * @throws ClusterException when another engine takes over meanwhile, which then holds what is
   *     left
   */
  void run() {
    List<ClusterRecord> ending =
        clusters.all().stream().filter(record -> !outlives(record)).toList();
    for (ClusterRecord record : ending) {
      Duration grace = record.life.request().spec().grace();
      loop.post(reached -> reached.stop(record.id, grace, "its engine was closed"));
    }
    ending.forEach(record -> Waiting.patiently(record.ended));
    loop.post(this::endPool);
    Waiting.patiently(empty);
  }

  /** Whether no cluster outlives the engine, so that nothing may carry its label any more. */
  boolean leavesNothing() {
    return clusters.all().stream().noneMatch(Ending::outlives);
  }

  /** Another engine has taken over. */
  void fail(ClusterException why) {
    empty.completeExceptionally(why);
  }

  private void endPool(EngineCore reached) {
    List<NodeId> held =
        reached.state.nodes.values().stream()
            .filter(node -> !serves(reached, node))
            .map(NodeLife::id)
            .toList();
    boolean launching =
        reached.state.launches.values().stream()
            .anyMatch(
                launch ->
                    reached.state.cluster(launch.cluster()).filter(Ending::outlives).isEmpty());
    if (held.isEmpty() && !launching) {
      empty.complete(null);
      return;
    }
    reached.endNodes(held);
    reached.later(Duration.ofMillis(5), this::endPool);
  }

  /** Whether a node is one of a cluster that outlives the engine. */
  private static boolean serves(EngineCore reached, NodeLife node) {
    return reached.state.holders(node.id()).stream().anyMatch(Ending::outlives);
  }

  private static boolean outlives(ClusterRecord record) {
    return record.life.request().lifetime() == Lifetime.DETACHED && !record.ended.isDone();
  }
}

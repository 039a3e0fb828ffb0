// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.plan.LevelOrder;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Keeps nodes out of the plans whose backend reports their levels in another order than those of
 * the nodes before them: with both there would be no plan at all. Owned by the loop.
 */
final class SoundNodes {

  private final Consumer<String> warnings;
  private final Set<NodeId> told = new TreeSet<>();

  /** Says of each node once why it is left out. */
  SoundNodes(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * Nodes apart.
   *
   * @param sound those that a plan may be made for
   * @param others those that are left out
   */
  record Apart(List<NodeLife> sound, List<NodeLife> others) {

    /** Those that are left out and that nobody holds: no plan gives them back. */
    List<NodeId> idle() {
      return others.stream()
          .filter(node -> node.idleSince().isPresent())
          .map(NodeLife::id)
          .toList();
    }
  }

  /** Tells nodes apart, in the order in which they were launched. */
  Apart apart(Collection<NodeLife> nodes) {
    LevelOrder order = new LevelOrder();
    List<NodeLife> sound = new ArrayList<>();
    List<NodeLife> others = new ArrayList<>();
    for (NodeLife node : nodes) {
      Optional<String> otherwise = order.add(node.id(), node.offer().backend(), node.topology());
      (otherwise.isEmpty() ? sound : others).add(node);
      otherwise
          .filter(ignored -> told.add(node.id()))
          .ifPresent(
              text ->
                  warnings.accept(
                      "%s; no cluster is placed there, and it is given back when nobody holds it; received: %s"
                          .formatted(text, node.topology())));
    }
    told.retainAll(others.stream().map(NodeLife::id).collect(Collectors.toSet()));
    return new Apart(sound, others);
  }
}

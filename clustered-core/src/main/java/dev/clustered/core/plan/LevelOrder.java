// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How the levels of the topology lie in one another on the nodes that were added: on all nodes of a
 * backend the same way, else nobody could say which of two domains is inside the other. Not
 * thread-safe.
 */
public final class LevelOrder {

  private final Set<List<String>> paths = new LinkedHashSet<>();
  private final Set<List<String>> outerAndInner = new LinkedHashSet<>();

  /** No nodes yet. */
  public LevelOrder() {}

  /**
   * Adds a node, if its levels lie in one another as on those before it.
   *
   * @return what is otherwise, for people; the node is not added then
   */
  public Optional<String> add(NodeId node, String backend, TopologyPath topology) {
    List<String> names = topology.levels().stream().map(TopologyPath.Level::name).toList();
    List<String> path = new ArrayList<>(names);
    path.addFirst(backend);
    if (paths.contains(path)) {
      return Optional.empty();
    }
    List<List<String>> pairs = new ArrayList<>();
    for (int outer = 0; outer < names.size(); outer++) {
      for (int inner = outer + 1; inner < names.size(); inner++) {
        String around = names.get(outer);
        String inside = names.get(inner);
        if (outerAndInner.contains(List.of(backend, inside, around))) {
          return Optional.of(
              "node %s has the level %s around %s, and another node of %s has it inside"
                  .formatted(node, around, inside, backend));
        }
        pairs.add(List.of(backend, around, inside));
      }
    }
    paths.add(path);
    outerAndInner.addAll(pairs);
    return Optional.empty();
  }
}

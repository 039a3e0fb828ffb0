// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Which node has which rank. Stateless and thread-safe. */
public final class RankOrder {

  private RankOrder() {}

  /**
   * The order of the first attempt: by topology, then by identity, so that the ranks of a domain
   * follow one another.
   */
  public static List<NodeId> byTopology(Map<NodeId, TopologyPath> nodes) {
    return nodes.entrySet().stream()
        .sorted(
            Comparator.comparing((Map.Entry<NodeId, TopologyPath> e) -> e.getValue().toString())
                .thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * The order of a later attempt: a node that stays keeps its rank, a replacement takes the rank of
   * the node that it replaces.
   *
   * @param order the nodes of the attempt before, in rank order
   * @param replacements new nodes by the nodes that they replace
   */
  public static List<NodeId> replaced(List<NodeId> order, Map<NodeId, NodeId> replacements) {
    replacements
        .keySet()
        .forEach(gone -> require(order.contains(gone), gone, "is replaced and has no rank"));
    List<NodeId> next = new ArrayList<>();
    for (NodeId node : order) {
      NodeId successor = replacements.getOrDefault(node, node);
      require(!next.contains(successor), successor, "would have two ranks");
      next.add(successor);
    }
    return List.copyOf(next);
  }

  private static void require(boolean condition, NodeId node, String problem) {
    if (!condition) {
      throw new IllegalArgumentException("the node " + node + " " + problem);
    }
  }
}

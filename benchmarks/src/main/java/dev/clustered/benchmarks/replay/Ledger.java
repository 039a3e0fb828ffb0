// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Holding;
import dev.clustered.core.plan.Member;
import dev.clustered.core.plan.Need;
import dev.clustered.core.plan.NodeView;
import dev.clustered.core.plan.Role;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Counts who holds what, apart from the planner, and stops at a placement that may not be: a replay
 * measures nothing that gives a node twice, half a gang, or two racks for one.
 */
final class Ledger {

  private final Map<NodeId, NodeView> nodes = new HashMap<>();
  private final Map<NodeId, Resources> free = new HashMap<>();
  private final Map<ClusterId, List<Member>> held = new HashMap<>();

  Ledger(List<NodeView> all) {
    for (NodeView node : all) {
      nodes.put(node.id(), node);
      free.put(node.id(), node.free());
    }
  }

  /**
   * What a gang of one role holds of its nodes now.
   *
   * @throws IllegalStateException when it may not hold that
   */
  List<Member> place(GangRequest gang, Decision.Place place) {
    Role role = gang.roles().getFirst();
    require(gang.roles().size() == 1 && gang.spares() == 0, "one role and no spares", gang);
    require(place.assignments().size() == gang.nodes(), "all its ranks", place);
    require(!held.containsKey(gang.id()), "nodes for the first time", place);
    List<Member> members = new ArrayList<>();
    Map<NodeId, Integer> ranks = new TreeMap<>();
    for (Decision.Assignment assignment : place.assignments()) {
      NodeView node = there(nodes.get(assignment.node()), "nodes of the pool", place);
      require(
          ranks.merge(node.id(), 1, Integer::sum) <= role.need().perNode(),
          "no more ranks of a node than it wants",
          place);
      Resources takes = takes(role.need(), node);
      Resources left = free.getOrDefault(node.id(), Resources.NONE);
      require(left.holds(takes), "what is free of " + node.id() + ", " + left, place);
      require(assignment.gpus().size() == takes.gpus(), takes.gpus() + " GPUs", place);
      free.put(node.id(), left.minus(takes));
      members.add(
          new Member(
              members.size(), role.name(), new Holding(node.id(), takes, assignment.gpus())));
    }
    requireOneDomain(gang, place);
    held.put(gang.id(), members);
    return members;
  }

  /** A gang holds nothing any more. */
  void end(ClusterId gang) {
    for (Member member : there(held.remove(gang), "nodes to give back", gang)) {
      free.merge(member.at().node(), member.at().takes(), Resources::plus);
    }
  }

  private static Resources takes(Need need, NodeView node) {
    return need.rdma().isPresent()
        ? node.shape().resources()
        : need.each().orElseGet(node.shape()::resources);
  }

  private void requireOneDomain(GangRequest gang, Decision.Place place) {
    gang.layout()
        .required()
        .ifPresent(
            level -> {
              Set<String> domains = new TreeSet<>();
              for (Decision.Assignment assignment : place.assignments()) {
                NodeView node = there(nodes.get(assignment.node()), "nodes of the pool", place);
                domains.add(node.topology().at(level).orElse("none of " + node.id()));
              }
              require(domains.size() == 1, "one " + level + ", not " + domains, place);
            });
  }

  private static <T> T there(@Nullable T value, String what, Object of) {
    if (value == null) {
      throw new IllegalStateException("a gang gets " + what + "; received: " + of);
    }
    return value;
  }

  private static void require(boolean so, String what, Object of) {
    if (!so) {
      throw new IllegalStateException("a gang gets " + what + "; received: " + of);
    }
  }
}

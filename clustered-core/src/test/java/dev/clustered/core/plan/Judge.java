// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;

/** Says what is wrong with a placement; written apart from the planner's own way to find one. */
final class Judge {

  private final Map<NodeId, NodeView> left = new TreeMap<>();

  Judge(List<NodeView> nodes) {
    nodes.forEach(node -> left.put(node.id(), node));
  }

  /** Takes what a gang was given, and says what is wrong with it. */
  Optional<String> take(GangRequest gang, Place place) {
    int[] sizes = place.roles().stream().mapToInt(Role::nodes).toArray();
    Optional<GangRequest> way =
        gang.ways().stream().filter(w -> isOf(w, place.roles())).findFirst();
    if (way.isEmpty()) {
      return Optional.of(place.roles() + " is nothing that it asked for");
    }
    if (Arrays.stream(sizes).sum() != place.assignments().size()
        || place.spares().size() != gang.spares()) {
      return Optional.of("not all ranks and spares");
    }
    List<Need> needs = new ArrayList<>();
    for (Role role : place.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        needs.add(role.need());
      }
    }
    List<NodeId> nodes = new ArrayList<>();
    place.assignments().forEach(a -> nodes.add(a.node()));
    List<NodeId> spares = place.spares().stream().map(Assignment::node).toList();
    Optional<String> wrong = wrong(way.get(), sizes, needs, nodes, spares);
    if (wrong.isPresent()) {
      return wrong;
    }
    List<Assignment> all = new ArrayList<>(place.assignments());
    all.addAll(place.spares());
    for (int i = 0; i < all.size(); i++) {
      Need need = i < needs.size() ? needs.get(i) : needs.getFirst();
      GangRequest one =
          gang.withAlternatives(List.of())
              .withLayout(Layout.ANY)
              .withRoles(List.of(new Role("r", 1, need)));
      left.computeIfPresent(all.get(i).node(), taken(one, all.get(i)));
    }
    return Optional.empty();
  }

  private static BiFunction<NodeId, NodeView, NodeView> taken(
      GangRequest one, Assignment assignment) {
    return (id, node) ->
        RandomPool.taken(node, one, assignment)
            .withAttributes(node.attributes())
            .withTaints(node.taints());
  }

  private static boolean isOf(GangRequest way, List<Role> roles) {
    boolean same = way.roles().size() == roles.size();
    for (int i = 0; same && i < roles.size(); i++) {
      Role asked = way.roles().get(i);
      Role got = roles.get(i);
      same =
          asked.name().equals(got.name())
              && asked.need().equals(got.need())
              && asked.layout().equals(got.layout())
              && got.nodes() >= asked.minimum()
              && got.nodes() <= asked.nodes();
    }
    return same;
  }

  /** What is wrong with ranks of these needs on these nodes, resources apart. */
  private Optional<String> wrong(
      GangRequest way, int[] sizes, List<Need> needs, List<NodeId> ids, List<NodeId> spares) {
    List<NodeView> nodes = ids.stream().map(left::get).toList();
    List<NodeView> all = new ArrayList<>(nodes);
    spares.forEach(id -> all.add(left.get(id)));
    if (all.stream().map(NodeView::zone).distinct().count() != 1) {
      return Optional.of("several zones");
    }
    Map<NodeId, Integer> ranks = new TreeMap<>();
    ids.forEach(id -> ranks.merge(id, 1, Integer::sum));
    for (int i = 0; i < needs.size(); i++) {
      Need need = needs.get(i);
      NodeView node = nodes.get(i);
      if (!need.admits(node)
          || !need.fits(node.backend(), node.shape())
          || !node.ready()
          || ranks.getOrDefault(node.id(), 0) > (need.wholeNodes() ? 1 : need.perNode())) {
        return Optional.of("rank " + i + " does not suit " + node);
      }
    }
    if (new TreeSet<>(spares).size() < spares.size()
        || spares.stream().anyMatch(ranks::containsKey)
        || spares.stream().anyMatch(id -> !needs.getFirst().admits(left.get(id)))) {
      return Optional.of("spares " + spares + " beside " + ids);
    }
    if (severalShapes(way, sizes, nodes, spares)) {
      return Optional.of("several shapes for one need");
    }
    Set<String> fabrics = new TreeSet<>();
    for (int i = 0; i < all.size(); i++) {
      if (needs.get(i < needs.size() ? i : 0).rdma().isPresent()) {
        fabrics.add(all.get(i).fabric());
      }
    }
    if (fabrics.size() > 1 || fabrics.contains("")) {
      return Optional.of("fabrics " + fabrics);
    }
    if (way.layout().required().filter(level -> !inOne(all, level)).isPresent()) {
      return Optional.of("not in one " + way.layout().required().get());
    }
    Optional<String> whole = laid(way.layout(), nodes);
    int from = 0;
    for (int role = 0; role < sizes.length && whole.isEmpty(); role++) {
      List<NodeView> own = new ArrayList<>(nodes.subList(from, from + sizes[role]));
      from += sizes[role];
      Layout layout = way.roles().get(role).layout();
      whole = laid(layout, own);
      if (role == 0) {
        spares.forEach(id -> own.add(left.get(id)));
      }
      if (layout.required().filter(level -> !inOne(own, level)).isPresent()) {
        return Optional.of("role " + role + " not in one " + layout.required().get());
      }
    }
    return whole;
  }

  /** Roles that need the same and have no layout of their own are of one shape. */
  private boolean severalShapes(
      GangRequest way, int[] sizes, List<NodeView> nodes, List<NodeId> spares) {
    Map<String, Set<String>> shapes = new TreeMap<>();
    int rank = 0;
    for (int role = 0; role < sizes.length; role++) {
      Role asked = way.roles().get(role);
      String key =
          asked.layout().equals(Layout.ANY) ? asked.need().toString() : "role " + asked.name();
      Set<String> names = shapes.computeIfAbsent(key, k -> new TreeSet<>());
      for (int i = 0; i < sizes[role]; i++) {
        names.add(nodes.get(rank++).shape().name());
      }
      if (role == 0) {
        spares.forEach(id -> names.add(left.get(id).shape().name()));
      }
    }
    return shapes.values().stream().anyMatch(names -> names.size() > 1);
  }

  private static String domain(NodeView node, String level) {
    StringBuilder path = new StringBuilder();
    for (TopologyPath.Level each : node.topology().levels()) {
      path.append(each.name()).append('=').append(each.value()).append('/');
      if (each.name().equals(level)) {
        return path.toString();
      }
    }
    return "";
  }

  private static boolean inOne(List<NodeView> nodes, String level) {
    Set<String> domains = new TreeSet<>();
    nodes.forEach(node -> domains.add(domain(node, level)));
    return domains.size() == 1 && !domains.contains("");
  }

  private static Optional<String> laid(Layout layout, List<NodeView> nodes) {
    for (Layout.Block block : layout.blocks()) {
      for (int from = 0; from < nodes.size(); from += block.ranks()) {
        if (!inOne(nodes.subList(from, from + block.ranks()), block.level())) {
          return Optional.of("block at rank " + from + " not in one " + block.level());
        }
      }
    }
    if (layout.spread().isPresent()) {
      Layout.Spread spread = layout.spread().get();
      Map<String, Integer> shares = new TreeMap<>();
      String before = "";
      for (NodeView node : nodes) {
        String domain = domain(node, spread.level());
        if (domain.isEmpty() || (!domain.equals(before) && shares.containsKey(domain))) {
          return Optional.of("ranks of a domain apart: " + nodes);
        }
        shares.merge(domain, 1, Integer::sum);
        before = domain;
      }
      int most = Collections.max(shares.values());
      int least = Collections.min(shares.values());
      if (most > spread.most() || (spread.even() && most > least + 1)) {
        return Optional.of("shares " + shares);
      }
    }
    return Optional.empty();
  }

  /** Whether any ranks of a way at its smallest size could be placed: tries all nodes for each. */
  boolean possible(GangRequest way) {
    List<Need> needs = new ArrayList<>();
    int[] sizes = way.roles().stream().mapToInt(Role::minimum).toArray();
    for (Role role : way.roles()) {
      for (int i = 0; i < role.minimum(); i++) {
        needs.add(role.need());
      }
    }
    int ranks = needs.size();
    for (int i = 0; i < way.spares(); i++) {
      needs.add(needs.getFirst());
    }
    return possible(way, sizes, ranks, needs, new ArrayList<>(), left);
  }

  private boolean possible(
      GangRequest way,
      int[] sizes,
      int ranks,
      List<Need> needs,
      List<NodeId> chosen,
      Map<NodeId, NodeView> free) {
    if (chosen.size() == needs.size()) {
      return wrong(
              way,
              sizes,
              needs.subList(0, ranks),
              chosen.subList(0, ranks),
              chosen.subList(ranks, chosen.size()))
          .isEmpty();
    }
    Need need = needs.get(chosen.size());
    for (NodeView node : free.values()) {
      GangRequest one = Scenario.gang("one", 1).withRoles(List.of(new Role("r", 1, need)));
      boolean gpus = need.wholeNodes() || node.freeGpus().size() >= need.takes(node.shape()).gpus();
      if (need.fits(node.backend(), node.shape()) && RandomPool.holds(node, one) && gpus) {
        int count = need.wholeNodes() ? node.freeGpus().size() : need.takes(node.shape()).gpus();
        Assignment assignment = new Assignment(node.id(), node.freeGpus().subList(0, count));
        Map<NodeId, NodeView> rest = new TreeMap<>(free);
        rest.computeIfPresent(node.id(), taken(one, assignment));
        chosen.add(node.id());
        if (possible(way, sizes, ranks, needs, chosen, rest)) {
          return true;
        }
        chosen.removeLast();
      }
    }
    return false;
  }
}

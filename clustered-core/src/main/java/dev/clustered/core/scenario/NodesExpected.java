// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Layout;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which nodes a gang should get, in rank order. What is empty is not looked at.
 *
 * @param exactly just these, in this order
 * @param among none but these
 * @param count so many
 * @param within all in one domain of this level
 * @param blocks so many consecutive ranks each in one domain of a level
 * @param perDomain how many ranks each domain that holds any should hold
 * @param hops how often the next rank, and the first after the last, is in another domain
 */
record NodesExpected(
    Optional<List<NodeId>> exactly,
    Optional<Set<NodeId>> among,
    Optional<Integer> count,
    Optional<String> within,
    List<Layout.Block> blocks,
    Optional<PerDomain> perDomain,
    Optional<Hops> hops) {

  record PerDomain(String level, int most, int least) {}

  record Hops(String level, int count) {}

  static NodesExpected exactly(List<NodeId> nodes) {
    return new NodesExpected(
        Optional.of(nodes),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty());
  }

  /** What is wrong with the nodes that it got. */
  List<String> wrong(List<NodeId> nodes, World world) {
    List<String> wrong = new ArrayList<>();
    exactly
        .filter(expected -> !expected.equals(nodes))
        .ifPresent(expected -> wrong.add("expected %s, got %s".formatted(expected, nodes)));
    among.ifPresent(
        some -> {
          List<NodeId> others = nodes.stream().filter(node -> !some.contains(node)).toList();
          if (!others.isEmpty()) {
            wrong.add("expected none but %s, got %s too".formatted(some, others));
          }
        });
    count
        .filter(expected -> expected != nodes.size())
        .ifPresent(
            expected ->
                wrong.add(
                    "expected %d nodes, got %d: %s".formatted(expected, nodes.size(), nodes)));
    within.ifPresent(
        level -> {
          Set<String> domains = domains(nodes, level, world);
          if (domains.size() != 1) {
            wrong.add("expected one %s, got %s".formatted(level, domains));
          }
        });
    blocks.forEach(block -> block(block, nodes, world).ifPresent(wrong::add));
    perDomain.ifPresent(expected -> perDomain(expected, nodes, world).forEach(wrong::add));
    hops.ifPresent(expected -> hops(expected, nodes, world).ifPresent(wrong::add));
    return wrong;
  }

  /** The domains of a level that nodes are in; what does not report the level is its own. */
  static Set<String> domains(List<NodeId> nodes, String level, World world) {
    Set<String> domains = new TreeSet<>();
    nodes.forEach(node -> domains.add(domain(node, level, world)));
    return domains;
  }

  private static String domain(NodeId node, String level, World world) {
    return world.machine(node).domain(level).orElse("no " + level + ": " + node);
  }

  private static Optional<String> block(Layout.Block block, List<NodeId> nodes, World world) {
    for (int from = 0; from < nodes.size(); from += block.ranks()) {
      int to = Math.min(nodes.size(), from + block.ranks());
      Set<String> domains = domains(nodes.subList(from, to), block.level(), world);
      if (domains.size() != 1) {
        return Optional.of(
            "expected ranks %d to %d in one %s, got %s"
                .formatted(from, to - 1, block.level(), domains));
      }
    }
    return Optional.empty();
  }

  private static List<String> perDomain(PerDomain expected, List<NodeId> nodes, World world) {
    Map<String, Integer> counts = new TreeMap<>();
    nodes.forEach(node -> counts.merge(domain(node, expected.level(), world), 1, Integer::sum));
    List<String> wrong = new ArrayList<>();
    counts.forEach(
        (domain, count) -> {
          if (count > expected.most() || count < expected.least()) {
            wrong.add(
                "expected %d to %d ranks in a %s, got %d in %s"
                    .formatted(expected.least(), expected.most(), expected.level(), count, domain));
          }
        });
    return wrong;
  }

  private static Optional<String> hops(Hops expected, List<NodeId> nodes, World world) {
    int hops = 0;
    for (int rank = 0; rank < nodes.size(); rank++) {
      String here = domain(nodes.get(rank), expected.level(), world);
      String next = domain(nodes.get((rank + 1) % nodes.size()), expected.level(), world);
      hops += here.equals(next) ? 0 : 1;
    }
    return hops == expected.count()
        ? Optional.empty()
        : Optional.of(
            "expected %d steps of the ring to another %s, got %d: %s"
                .formatted(expected.count(), expected.level(), hops, nodes));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The nodes of a snapshot by domain, with what this plan has given away taken off. */
final class Pool {

  /** The order of ranks: by place, then by identity. */
  private static final Comparator<NodeView> BY_PLACE =
      Comparator.comparing((NodeView node) -> node.topology().toString())
          .thenComparing(NodeView::id);

  private static final Comparator<NodeView> FULLEST_FIRST =
      Comparator.comparing((NodeView node) -> node.holders() == 0)
          .thenComparingInt((NodeView node) -> node.free().gpus())
          .thenComparingInt((NodeView node) -> node.free().cpus())
          .thenComparing(BY_PLACE);

  private final Map<Domain, List<NodeView>> domains = new TreeMap<>();
  private final Map<NodeId, Resources> taken = new TreeMap<>();
  private final Map<NodeId, Integer> takenGpus = new TreeMap<>();

  /** Nodes that may be in one gang together: one backend, zone, fabric and shape. */
  record Domain(String backend, String zone, String fabric, String shape)
      implements Comparable<Domain> {
    private static final Comparator<Domain> ORDER =
        Comparator.comparing(Domain::backend)
            .thenComparing(Domain::zone)
            .thenComparing(Domain::fabric)
            .thenComparing(Domain::shape);

    @Override
    public int compareTo(Domain other) {
      return ORDER.compare(this, other);
    }

    /** The same without the fabric, for gangs that need none. */
    Domain zoneOnly() {
      return new Domain(backend, zone, "", shape);
    }

    String describe() {
      return fabric.isEmpty() ? "zone " + zone : "fabric " + fabric;
    }
  }

  Pool(List<NodeView> nodes) {
    for (NodeView node : nodes.stream().sorted(BY_PLACE).toList()) {
      Domain domain = new Domain(node.backend(), node.zone(), node.fabric(), node.shape().name());
      domains.computeIfAbsent(domain, d -> new ArrayList<>()).add(node);
    }
  }

  /** The nodes that could be in one gang together, by domain. */
  Map<Domain, List<NodeView>> domains(GangRequest gang) {
    Map<Domain, List<NodeView>> found = new TreeMap<>();
    domains.forEach(
        (domain, nodes) -> {
          NodeView first = nodes.getFirst();
          if (gang.fits(first.backend(), first.shape())) {
            Domain key = gang.rdma().isPresent() ? domain : domain.zoneOnly();
            found.computeIfAbsent(key, d -> new ArrayList<>()).addAll(nodes);
          }
        });
    return found;
  }

  /** Whether a rank of a gang fits on a node now. */
  boolean free(GangRequest gang, NodeView node) {
    if (node.health() != NodeHealth.READY) {
      return false;
    }
    Optional<Resources> given = Optional.ofNullable(taken.get(node.id()));
    if (gang.each().isEmpty()) {
      return node.holders() == 0 && given.isEmpty();
    }
    Resources left = given.map(node.free()::minus).orElse(node.free());
    return gang.each().map(left::holds).orElse(false);
  }

  long countFree(GangRequest gang, List<NodeView> nodes) {
    return nodes.stream().filter(node -> free(gang, node)).count();
  }

  /** Takes the gang's nodes out of a domain that has them, in rank order. */
  List<Assignment> take(GangRequest gang, List<NodeView> nodes) {
    return nodes.stream()
        .filter(node -> free(gang, node))
        .sorted(gang.each().isPresent() ? FULLEST_FIRST : BY_PLACE)
        .limit(gang.nodes())
        .sorted(BY_PLACE)
        .map(node -> take(gang, node))
        .toList();
  }

  private Assignment take(GangRequest gang, NodeView node) {
    Resources each = gang.each().orElse(node.shape().resources());
    Resources before = taken.getOrDefault(node.id(), Resources.NONE);
    int skip = takenGpus.getOrDefault(node.id(), 0);
    taken.put(node.id(), before.plus(each));
    takenGpus.put(node.id(), skip + each.gpus());
    return new Assignment(node.id(), node.freeGpus().subList(skip, skip + each.gpus()));
  }

  boolean untouched(NodeView node) {
    return !taken.containsKey(node.id());
  }
}

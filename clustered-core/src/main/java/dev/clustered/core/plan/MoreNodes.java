// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Change;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.StartChange;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** How many more nodes there would have to be for a gang to start, and where. */
final class MoreNodes {

  private static final int MOST_DOMAINS = 4;

  private final Snapshot snapshot;
  private final GangRequest gang;
  private final Trials trials;

  /** Where nodes could be added, all like one that is there. */
  private record Spot(String domain, NodeView like, int free) {}

  MoreNodes(Snapshot snapshot, GangRequest gang, Trials trials) {
    this.snapshot = snapshot;
    this.gang = gang;
    this.trials = trials;
  }

  /**
   * The fewest nodes of one shape in one domain; of those domains that have most free already.
   *
   * @param most how many are thought of at most
   */
  Optional<StartChange> find(int most) {
    Optional<StartChange> best = Optional.empty();
    int fewer = most;
    for (Spot site : sites()) {
      Optional<StartChange> found =
          trials.least(
              1,
              fewer,
              n -> new Change.MoreNodes(n, site.like().shape().name(), site.domain(), 0),
              n -> Optional.of(with(site.like(), n)));
      if (found.filter(one -> !one.disturbsOthers()).isPresent()
          && found.get().change() instanceof Change.MoreNodes more) {
        best = found.map(one -> goingFirst(one, more, site.like()));
        fewer = more.nodes() - 1; // Another domain must do with less.
      }
    }
    return best;
  }

  /** Says how many of the nodes earlier gangs would have. */
  private StartChange goingFirst(StartChange found, Change.MoreNodes more, NodeView like) {
    Set<NodeId> known = new TreeSet<>();
    snapshot.nodes().forEach(node -> known.add(node.id()));
    int others =
        trials.notFor(with(like, more.nodes()), node -> !known.contains(node), more.nodes());
    return new StartChange(
        new Change.MoreNodes(more.nodes(), more.shape(), more.domain(), others), found.start());
  }

  private List<Spot> sites() {
    Map<String, Spot> sites = new TreeMap<>();
    for (NodeView node : snapshot.nodes()) {
      if (suits(node)) {
        int free = node.ready() && node.free().holds(gang.need().takes(node.shape())) ? 1 : 0;
        String domain = domain(node);
        sites.merge(
            domain + " " + node.shape().name(),
            new Spot(domain, node, free),
            (one, other) -> new Spot(domain, first(one.like(), node), one.free() + free));
      }
    }
    return sites.entrySet().stream()
        .sorted(
            Comparator.comparingInt((Map.Entry<String, Spot> entry) -> entry.getValue().free())
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(MOST_DOMAINS)
        .map(Map.Entry::getValue)
        .toList();
  }

  private static NodeView first(NodeView one, NodeView other) {
    return one.id().compareTo(other.id()) < 0 ? one : other;
  }

  /** Whether a node like this, without taints, would hold a rank. */
  private boolean suits(NodeView node) {
    return !node.zone().isEmpty()
        && gang.parts().stream()
            .map(GangRequest::need)
            .anyMatch(
                need ->
                    need.fits(node.backend(), node.shape())
                        && need.admits(node.withTaints(new TreeSet<>())));
  }

  /** The domain that must hold the gang, or a block of it; else its fabric or zone. */
  private String domain(NodeView node) {
    String asked = gang.layout().with(gang.roles().getFirst().layout()).level();
    String level =
        asked.isEmpty() ? gang.rdma().isPresent() ? TopologyPath.FABRIC : TopologyPath.ZONE : asked;
    List<TopologyPath.Level> path = new ArrayList<>();
    for (TopologyPath.Level at : node.topology().levels()) {
      path.add(at);
      if (at.name().equals(level)) {
        return new TopologyPath(path).toString();
      }
    }
    return TopologyPath.ZONE + "=" + node.zone();
  }

  private Snapshot with(NodeView like, int count) {
    Set<NodeId> known = new TreeSet<>();
    snapshot.nodes().forEach(node -> known.add(node.id()));
    List<NodeView> nodes = new ArrayList<>(snapshot.nodes());
    for (int i = 1; nodes.size() < snapshot.nodes().size() + count; i++) {
      NodeId id = new NodeId("more-" + i);
      if (!known.contains(id)) {
        nodes.add(copy(like, id));
      }
    }
    return snapshot.withNodes(nodes);
  }

  private NodeView copy(NodeView like, NodeId id) {
    List<TopologyPath.Level> path = new ArrayList<>(like.topology().levels());
    path.removeIf(level -> level.name().equals("host"));
    path.add(new TopologyPath.Level("host", id.value()));
    return new NodeView(
        id,
        like.backend(),
        like.shape(),
        new TopologyPath(path),
        like.shape().resources(),
        NodeHealth.READY,
        IntStream.range(0, like.shape().resources().gpus()).boxed().toList(),
        0,
        Optional.of(snapshot.now()),
        new LaunchId("more"),
        false,
        like.attributes(),
        new TreeSet<>());
  }
}

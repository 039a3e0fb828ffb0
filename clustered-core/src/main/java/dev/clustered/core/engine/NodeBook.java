// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.lifecycle.RankLife;
import dev.clustered.core.lifecycle.RankReport;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterState;
import dev.clustered.model.Node;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.model.Usage.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Keeps the nodes' side of every fact: who holds which part, and in which phase each node is. */
final class NodeBook {

  private final EngineState state;
  private final Accounts accounts;

  NodeBook(EngineState state, Accounts accounts) {
    this.state = state;
    this.accounts = accounts;
  }

  /** Takes nodes for a cluster when a fact gives it some. */
  void before(ClusterRecord cluster, Fact.OfCluster fact) {
    switch (fact) {
      case Fact.Placed placed -> placed.slots().forEach(slot -> hold(cluster, slot));
      case Fact.LaunchGranted granted -> granted.slots().forEach(slot -> hold(cluster, slot));
      case Fact.Replaced replaced -> replaced.replacements().forEach(r -> hold(cluster, r.to()));
      case Fact.Grown grown -> {
        grown.ranks().forEach(slot -> hold(cluster, slot));
        grown.spares().forEach(slot -> hold(cluster, slot));
        enterPhase(cluster, grown.at());
      }
      default -> {}
    }
  }

  private void hold(ClusterRecord cluster, Fact.Slot slot) {
    NodeLife node = state.nodes.get(slot.node());
    cluster.held.add(slot.node());
    if (node != null && !node.heldBy(cluster.id)) { // A spare is held already.
      state.put(node.held(cluster.id, cluster.life.request().spec().resources(), slot.gpus()));
    }
  }

  /** Brings the cluster's view of its nodes and their phases up to date. */
  void after(ClusterRecord cluster, Instant at) {
    ClusterLife life = cluster.life;
    if (life.state() == ClusterState.PREPARING) {
      cluster.nodes = life.ranks().stream().flatMap(rank -> node(rank).stream()).toList();
    }
    enterPhase(cluster, at);
  }

  private void enterPhase(ClusterRecord cluster, Instant at) {
    phase(cluster.life.state())
        .ifPresent(phase -> cluster.held.forEach(node -> enter(cluster.id, node, phase, at)));
  }

  private void enter(ClusterId cluster, NodeId node, Phase phase, Instant at) {
    state
        .node(node)
        .filter(life -> life.state() == PoolNode.State.READY)
        .ifPresent(life -> accounts.enter(life, Optional.of(cluster), phase, at));
  }

  private static Optional<Phase> phase(ClusterState state) {
    return switch (state) {
      case QUEUED, PLACED, BOOTING, ENDED -> Optional.empty();
      case PREPARING, JOINING -> Optional.of(Phase.PREPARE);
      case RUNNING -> Optional.of(Phase.RUN);
      case RESTARTING, STOPPING -> Optional.of(Phase.STOP);
    };
  }

  private Optional<Node> node(RankLife rank) {
    return state
        .node(rank.node())
        .map(
            life ->
                new Node(
                    life.id(),
                    rank.rank(),
                    life.address(),
                    life.offer().backend(),
                    life.offer().shape(),
                    life.topology(),
                    rank.gpus()));
  }

  /** Takes the nodes of a launch in. */
  void granted(Fact.LaunchDecided decided, List<Fact.Granted> nodes) {
    for (Fact.Granted granted : nodes) {
      NodeLife life = NodeLife.granted(decided.launch(), decided.offer(), granted);
      state.put(life);
      accounts.enter(life, Optional.of(decided.cluster()), Phase.BOOT, decided.at());
    }
  }

  /** The granted nodes in rank order: neighbours in the topology are neighbours in rank. */
  Fact.LaunchGranted grant(Fact.LaunchDecided decided, List<Fact.Granted> nodes, Instant now) {
    int gpus = gpusOfRank(decided);
    List<Fact.Slot> slots = new ArrayList<>();
    nodes.stream()
        .sorted(
            Comparator.comparing((Fact.Granted g) -> g.topology().toString())
                .thenComparing(Fact.Granted::node))
        .forEach(
            g -> slots.add(new Fact.Slot(g.node(), IntStream.range(0, gpus).boxed().toList())));
    return new Fact.LaunchGranted(decided.cluster(), now, decided.launch(), nodes, slots);
  }

  private int gpusOfRank(Fact.LaunchDecided decided) {
    int all = decided.offer().shape().resources().gpus();
    return state
        .cluster(decided.cluster())
        .flatMap(cluster -> cluster.life.request().spec().resources())
        .map(each -> each.gpus())
        .orElse(all);
  }

  void joined(NodeId node, Instant at, String address) {
    state
        .node(node)
        .ifPresent(
            life -> {
              NodeLife joined = life.joined(address, at);
              state.put(joined);
              if (joined.holders().isEmpty()) {
                accounts.enter(joined, Optional.empty(), Phase.IDLE, at);
              }
              state.holders(node).forEach(cluster -> enterPhase(cluster, at));
            });
  }

  void lost(NodeId node) {
    change(node, PoolNode.State.LOST);
  }

  void ending(List<NodeId> nodes) {
    nodes.forEach(node -> change(node, PoolNode.State.ENDING));
  }

  private void change(NodeId node, PoolNode.State next) {
    state.node(node).ifPresent(life -> state.put(life.inState(next)));
  }

  void ended(NodeId node, Instant at) {
    state.remove(node);
    accounts.leave(node, at);
  }

  /** Gives a cluster's parts back; the nodes returned are idle and not to be kept. */
  List<NodeId> release(ClusterRecord cluster, Instant at, Duration idleNodeTime) {
    List<NodeId> idle = new ArrayList<>();
    for (NodeId id : cluster.held) {
      NodeLife node = state.nodes.get(id);
      if (node == null) {
        continue;
      }
      NodeLife released = node.releasedBy(cluster.id, at);
      state.put(released);
      if (released.holders().isEmpty() && !keeps(released, idleNodeTime)) {
        idle.add(node.id());
      } else if (released.holders().isEmpty()) {
        accounts.enter(released, Optional.empty(), Phase.IDLE, at);
      }
    }
    return idle;
  }

  /** Whether it is lost or given back, and not gone yet. */
  static boolean isGoing(NodeLife node) {
    return node.state() == PoolNode.State.LOST || node.state() == PoolNode.State.ENDING;
  }

  private static boolean keeps(NodeLife node, Duration idleNodeTime) {
    return node.state() == PoolNode.State.READY && idleNodeTime.isPositive();
  }

  /** Whether a report says nothing new, so that it need not be journaled. */
  boolean known(ClusterRecord cluster, int rank, RankReport report) {
    RankLife life = cluster.life.ranks().get(rank);
    if (report instanceof RankReport.Still) {
      boolean same = life.still().filter(told -> told.report().equals(report)).isPresent();
      return same || life.progress() != RankLife.Progress.RUNNING;
    }
    return life.reached(
        switch (report) {
          case RankReport.Prepared prepared -> RankLife.Progress.PREPARED;
          case RankReport.Joined joined -> RankLife.Progress.JOINED;
          case RankReport.Running running -> RankLife.Progress.RUNNING;
          case RankReport.Still still -> RankLife.Progress.RUNNING;
          case RankReport.Exited exited -> RankLife.Progress.EXITED;
          case RankReport.Finished finished -> RankLife.Progress.FINISHED;
          case RankReport.Failed failed -> RankLife.Progress.FINISHED;
        });
  }

  static Map<String, List<NodeLife>> byBackend(List<NodeLife> nodes) {
    Map<String, List<NodeLife>> groups = new TreeMap<>();
    nodes.forEach(
        node -> groups.computeIfAbsent(node.offer().backend(), b -> new ArrayList<>()).add(node));
    return groups;
  }

  /** A node as callers see it. */
  static PoolNode view(NodeLife node) {
    return new PoolNode(
        node.id(),
        node.offer().backend(),
        node.offer().shape(),
        node.topology(),
        node.state(),
        node.holders().stream().map(NodeLife.Holder::cluster).toList());
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.ClusterMachine;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.model.ClusterNotice;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.spi.Notice;
import java.util.List;
import java.util.Optional;

/** What becomes of nodes that report, are announced to go, are lost or given back. */
final class NodeEvents {

  private final EngineCore core;
  private final NodeBook book;
  private final Scheduling scheduling;

  NodeEvents(EngineCore core, NodeBook book, Scheduling scheduling) {
    this.core = core;
    this.book = book;
    this.scheduling = scheduling;
  }

  void joined(NodeId node, String address) {
    if (core.state.nodes.containsKey(node)) {
      core.record(new Fact.NodeJoined(node, core.now(), address));
    } else {
      core.state.earlyJoins.put(node, address);
    }
  }

  void apply(Fact.NodeJoined fact) {
    book.joined(fact.node(), fact.at(), fact.address());
    for (ClusterRecord cluster : core.state.holders(fact.node())) {
      core.accept(
          cluster, ClusterMachine.nodeJoined(cluster.life, fact.node(), fact.at()), fact.at());
    }
    scheduling.changed();
  }

  void lost(NodeId node, String message) {
    boolean held =
        core.state
            .node(node)
            .filter(
                life ->
                    life.state() == PoolNode.State.BOOTING || life.state() == PoolNode.State.READY)
            .isPresent();
    if (held) {
      boolean announced =
          Optional.ofNullable(core.state.announced.get(node))
              .filter(notice -> notice.kind() == ClusterNotice.Kind.INTERRUPTION)
              .isPresent();
      core.record(new Fact.NodeLost(node, core.now(), message, announced));
    }
  }

  /** Takes in what a backend announces; it says the same each time it is asked. */
  void noticed(Notice notice) {
    ClusterNotice.Kind kind =
        notice.kind() == Notice.Kind.MAINTENANCE
            ? ClusterNotice.Kind.MAINTENANCE
            : ClusterNotice.Kind.INTERRUPTION;
    boolean known =
        Optional.ofNullable(core.state.announced.get(notice.node()))
            .filter(old -> old.kind() == kind && old.deadline().equals(notice.deadline()))
            .isPresent();
    if (!known && core.state.nodes.containsKey(notice.node())) {
      core.record(
          new Fact.NodeNoticed(
              notice.node(), core.now(), kind, notice.deadline(), notice.message()));
    }
  }

  void apply(Fact.NodeNoticed fact) {
    core.state.announced.put(fact.node(), fact);
    for (ClusterRecord cluster : core.state.holders(fact.node())) {
      core.accept(cluster, ClusterMachine.nodeNoticed(cluster.life, fact), fact.at());
    }
  }

  void apply(Fact.NodeLost fact) {
    List<ClusterRecord> holders = core.state.holders(fact.node());
    book.lost(fact.node());
    for (ClusterRecord cluster : holders) {
      core.state.node(fact.node()).ifPresent(life -> cluster.lost.put(life.id(), life));
      core.accept(cluster, ClusterMachine.nodeLost(cluster.life, fact), fact.at());
    }
    core.effect(reach -> reach.lost(fact.node(), fact.message()));
    end(List.of(fact.node()));
    scheduling.changed();
  }

  /** Gives nodes back that are not being given back already. */
  void end(List<NodeId> nodes) {
    List<NodeLife> ending =
        nodes.stream()
            .flatMap(node -> core.state.node(node).stream())
            .filter(life -> life.state() != PoolNode.State.ENDING)
            .toList();
    if (ending.isEmpty()) {
      return;
    }
    core.record(new Fact.NodesEnding(ending.stream().map(NodeLife::id).toList(), core.now()));
    NodeBook.byBackend(ending)
        .forEach(
            (backend, lives) ->
                core.effect(
                    reach ->
                        reach.terminate(
                            backend,
                            lives.stream().map(NodeLife::instance).toList(),
                            lives.stream().map(NodeLife::id).toList())));
  }

  void apply(Fact.NodesEnded fact) {
    for (NodeId node : fact.nodes()) {
      book.ended(node, fact.at());
      core.forget(node);
    }
    List.copyOf(core.state.clusters.values()).forEach(c -> core.left(c, fact.nodes()));
  }
}

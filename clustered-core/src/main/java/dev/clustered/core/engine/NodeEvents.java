// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

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
  private final Scheduling scheduling;

  NodeEvents(EngineCore core, Scheduling scheduling) {
    this.core = core;
    this.scheduling = scheduling;
  }

  void joined(NodeId node, String address) {
    Optional<NodeLife> life = core.state.node(node);
    if (life.isEmpty()) {
      core.state.earlyJoins.put(node, address);
    } else if (life.get().state() == PoolNode.State.BOOTING) {
      core.record(new Fact.NodeJoined(node, core.now(), address));
      scheduling.changed();
    }
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
      core.effect(reach -> reach.lost(node, message));
      end(List.of(node));
      scheduling.changed();
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
    terminate(ending);
  }

  /** Has a backend end nodes; it may have been told already. */
  void terminate(List<NodeLife> ending) {
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

  void ended(List<NodeId> nodes) {
    core.record(new Fact.NodesEnded(nodes, core.now()));
    nodes.forEach(core::forget);
    scheduling.offersChanged();
  }
}

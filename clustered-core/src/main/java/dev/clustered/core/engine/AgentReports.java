// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.ObservedWork;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.RankReport;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import java.util.List;

/** What the reports of agents become: facts about ranks, and nodes that a cluster has left. */
final class AgentReports {

  private final EngineCore core;
  private final NodeBook book;

  AgentReports(EngineCore core, NodeBook book) {
    this.core = core;
    this.book = book;
  }

  void observed(NodeId node, ObservedState observed) {
    for (ClusterRecord cluster : core.state.holders(node)) {
      if (lists(observed, cluster)) {
        cluster.listing.add(node);
      } else {
        cluster.listing.remove(node);
      }
    }
    for (ObservedWork work : observed.work()) {
      core.state
          .cluster(work.cluster())
          .filter(cluster -> cluster.life.attempt() == work.attempt())
          .filter(cluster -> cluster.life.on(node).filter(r -> r.rank() == work.rank()).isPresent())
          .ifPresent(cluster -> reported(cluster, work));
    }
    core.state.clusters.values().stream()
        .filter(cluster -> cluster.leaving.contains(node))
        .filter(cluster -> forgotten(cluster, node, observed))
        .toList()
        .forEach(cluster -> core.left(cluster, List.of(node)));
  }

  private void reported(ClusterRecord cluster, ObservedWork work) {
    if (work.status() instanceof ObservedWork.Status.Preparing preparing
        && preparing.wanted() > 0) {
      files(cluster, work, preparing);
    }
    for (RankReport report : Reports.of(work)) {
      if (!book.known(cluster, work.rank(), report)) {
        core.record(
            new Fact.RankReported(cluster.id, core.now(), work.attempt(), work.rank(), report));
      }
    }
  }

  /** No fact: nothing is decided by it. */
  private void files(
      ClusterRecord cluster, ObservedWork work, ObservedWork.Status.Preparing preparing) {
    Long before = cluster.received.put(work.rank(), preparing.received());
    if (before == null || before != preparing.received()) {
      core.tell(
          cluster,
          new ClusterEvent.FilesReceived(
              cluster.id,
              core.now(),
              work.attempt(),
              work.rank(),
              new ByteSize(Math.max(0, preparing.received())),
              new ByteSize(preparing.wanted())));
    }
  }

  private boolean forgotten(ClusterRecord cluster, NodeId node, ObservedState observed) {
    boolean ending =
        core.state.node(node).filter(life -> life.state() == PoolNode.State.ENDING).isPresent();
    return !ending
        && !lists(observed, cluster)
        && observed.generation() >= core.desiredGeneration(node);
  }

  private static boolean lists(ObservedState observed, ClusterRecord cluster) {
    return observed.work().stream().anyMatch(work -> work.cluster().equals(cluster.id));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.model.ClusterState;
import dev.clustered.model.PoolNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How an engine goes on with what an engine before it has written down. What that one had decided
 * and perhaps not done is done now: all of it may be done twice. Owned by the loop's thread.
 */
final class Resumption {

  private final EngineCore core;
  private final Timers timers;
  private final Watches watches;
  private final NodeEvents nodes;

  Resumption(EngineCore core, Timers timers, Watches watches, NodeEvents nodes) {
    this.core = core;
    this.timers = timers;
    this.watches = watches;
    this.nodes = nodes;
  }

  /** Knows the nodes and clusters that are restored, before any agent is heard. */
  static void reconnect(EngineState state, Lines lines) {
    state.nodes.values().forEach(n -> lines.restore(n.id(), n.state() != PoolNode.State.BOOTING));
    state.clusters.values().forEach(lines::open);
  }

  void resume(Callers callers) {
    core.state.nodes.values().forEach(this::resume);
    for (Fact.LaunchDecided launch : core.state.launches.values()) {
      core.effect(reach -> reach.launch(launch)); // The same identity, so the same answer.
    }
    for (ClusterRecord cluster : List.copyOf(core.state.clusters.values())) {
      resume(cluster, callers);
    }
    for (ClusterRecord cluster : core.state.ended.values()) {
      complete(cluster, callers);
    }
  }

  private void resume(NodeLife node) {
    if (node.state() == PoolNode.State.BOOTING) {
      watches.booting(List.of(node.id()), node.offer().bootTime());
    } else if (node.state() == PoolNode.State.ENDING) {
      nodes.terminate(List.of(node));
    }
  }

  private void resume(ClusterRecord cluster, Callers callers) {
    ClusterLife life = cluster.life;
    Instant now = core.now();
    for (Watch watch : List.copyOf(cluster.watches)) {
      Duration left = Duration.between(now, watch.due());
      timers.after(
          left.isNegative() ? Duration.ZERO : left,
          later -> later.record(watch.passed(cluster.id, later.now())));
    }
    if (life.tries().ran()) {
      core.effect(reach -> callers.ready(cluster));
    }
    boolean over =
        life.state() == ClusterState.STOPPING && life.finished() && life.launches().isEmpty();
    if (over) {
      core.effect(reach -> callers.exit(cluster));
    }
    if (over || life.requeuing()) {
      core.releasedWhenAllLeft(cluster);
    }
  }

  /** Whoever asks for one that has ended gets its exit. */
  private void complete(ClusterRecord cluster, Callers callers) {
    if (cluster.life.tries().ran()) {
      core.effect(reach -> callers.ready(cluster));
    }
    core.effect(reach -> callers.exit(cluster));
    core.effect(reach -> callers.ended(cluster));
  }
}

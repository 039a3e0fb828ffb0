// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import java.time.Duration;
import java.util.List;

/** What the engine looks after by the clock: nodes that boot, and agents that fall silent. */
final class Watches {

  /** How long an instance may take to report, over thrice its usual boot time. */
  private static final Duration BOOT_ALLOWANCE = Duration.ofMinutes(5);

  private static final Duration BETWEEN_NOTICES = Duration.ofSeconds(1);

  /** So a silent node is known a tenth of the limit after it at the latest. */
  private static final int CHECKS_IN_A_LIMIT = 10;

  private final EngineCore core;
  private final Timers timers;
  private final Duration silenceLimit;

  Watches(EngineCore core, Timers timers, Duration silenceLimit) {
    this.core = core;
    this.timers = timers;
    this.silenceLimit = silenceLimit;
  }

  void begin() {
    timers.after(BETWEEN_NOTICES, ignored -> backends());
    timers.after(silenceLimit.dividedBy(CHECKS_IN_A_LIMIT), ignored -> silence());
  }

  /** These nodes were granted, and boot. */
  void booting(List<NodeId> nodes, Duration bootTime) {
    Duration limit = bootTime.multipliedBy(3).plus(BOOT_ALLOWANCE);
    nodes.forEach(node -> timers.after(limit, ignored -> bootTimeout(node, limit)));
  }

  private void bootTimeout(NodeId node, Duration limit) {
    core.state
        .node(node)
        .filter(life -> life.state() == PoolNode.State.BOOTING)
        .ifPresent(life -> core.nodeLost(node, "its agent did not report within " + limit));
  }

  private void silence() {
    timers.after(silenceLimit.dividedBy(CHECKS_IN_A_LIMIT), ignored -> silence());
    for (NodeLife node : List.copyOf(core.state.nodes.values())) {
      Duration silence = core.silence(node.id());
      if (node.state() == PoolNode.State.READY && silence.compareTo(silenceLimit) > 0) {
        core.nodeLost(node.id(), "its agent was silent for " + silence.toMillis() + " ms");
      }
    }
  }

  private void backends() {
    timers.after(BETWEEN_NOTICES, ignored -> backends());
    if (!core.state.nodes.isEmpty()) {
      core.effect(Reach::notices);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import java.time.Instant;

/** An engine's state as text, to be compared. */
final class StateText {

  private StateText() {}

  /** All that must be the same after the journal has been read again. */
  static String of(EngineCore core, Instant now) {
    StringBuilder text = new StringBuilder();
    EngineState state = core.state;
    for (ClusterRecord cluster : state.clusters.values()) {
      line(text, cluster.life);
      line(text, "  holds " + cluster.held + ", lost " + cluster.lost.keySet());
      line(text, "  waits for " + cluster.watches);
      line(text, "  heard of ends " + cluster.ends.places(cluster.life.attempt()));
      line(text, "  used " + core.accounts.usage(cluster.id, now));
    }
    state.nodes.values().forEach(node -> line(text, node));
    state.launches.values().forEach(launch -> line(text, launch));
    state.announced.values().forEach(notice -> line(text, notice));
    line(text, "used " + core.accounts.usage(now));
    return text.toString();
  }

  private static void line(StringBuilder text, Object what) {
    text.append(what).append('\n');
  }
}

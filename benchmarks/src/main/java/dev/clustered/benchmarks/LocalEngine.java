// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks;

import dev.clustered.ClusterEngine;
import dev.clustered.ClusterListener;
import dev.clustered.Clusters;
import dev.clustered.backend.local.LocalBackend;
import java.time.Duration;

/** Engines over nodes on this machine, which take no time of their own to boot. */
public final class LocalEngine {

  private LocalEngine() {}

  /** Every launch boots new nodes. */
  public static ClusterEngine open(int nodes) {
    return builder(nodes).open();
  }

  /** Nodes stay for the next launch. */
  public static ClusterEngine warm(int nodes, ClusterListener listener) {
    return builder(nodes).idleNodeTime(Duration.ofMinutes(5)).listener(listener).open();
  }

  private static ClusterEngine.Builder builder(int nodes) {
    return Clusters.engine()
        .discovery(ClusterEngine.Builder.Discovery.OFF)
        .backend(LocalBackend.builder().nodes(nodes).factory());
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.launch;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.benchmarks.Consumption;
import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.benchmarks.swarm.SwarmFactory;
import dev.clustered.model.ClusterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What an engine spends on 1,000 agents that hold ten clusters and speak the real protocol from
 * other JVMs, without workloads. The clusters come one after another: all handshakes at once would
 * measure the processor that the agents take on this machine.
 */
final class ManyAgents implements Suite.Measurement {

  private static final int CLUSTERS = 10;
  private static final int AGENTS_EACH = 100;
  private static final int SETTLE_SECONDS = 10;
  private static final int INTERVALS = 6;
  private static final int INTERVAL_SECONDS = 5;

  @Override
  public String name() {
    return "agents";
  }

  @Override
  public List<Figure> run() throws Exception {
    double heapBefore = Consumption.heapMebibytes();
    ClusterSpec spec = ClusterSpec.builder("agents").nodes(AGENTS_EACH).command("none").build();
    double processorBefore = Consumption.processorSeconds();
    long start = System.nanoTime();
    try (ClusterEngine engine =
        Clusters.engine()
            .discovery(ClusterEngine.Builder.Discovery.OFF)
            .backend(new SwarmFactory(CLUSTERS * AGENTS_EACH))
            .open()) {
      List<Cluster> clusters = new ArrayList<>();
      while (clusters.size() < CLUSTERS) {
        clusters.add(engine.launch(spec).await());
      }
      double launch = (System.nanoTime() - start) / 1e9;
      double launchProcessor = Consumption.processorSeconds() - processorBefore;
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      Distribution shares = processorShares();
      double heap = Consumption.heapMebibytes() - heapBefore;
      if (clusters.stream().anyMatch(cluster -> cluster.exit().isDone())) {
        throw new IllegalStateException("a cluster without work ended: " + clusters);
      }
      return List.of(
          Figure.lower(name(), shares.median(), "% core", "engine's JVM; " + shares.spread()),
          Figure.lower("agents.heap", heap, "MiB", "live heap that the engine added"),
          Figure.lower(
              "agents.launch",
              launch,
              "s",
              "ten launches of 100, call to running; engine's JVM took %.1f s of processor"
                  .formatted(launchProcessor)));
    }
  }

  private static Distribution processorShares() throws InterruptedException {
    List<Double> percents = new ArrayList<>();
    for (int interval = 0; interval < INTERVALS; interval++) {
      double before = Consumption.processorSeconds();
      TimeUnit.SECONDS.sleep(INTERVAL_SECONDS);
      percents.add(100 * (Consumption.processorSeconds() - before) / INTERVAL_SECONDS);
    }
    return Distribution.of(percents);
  }
}

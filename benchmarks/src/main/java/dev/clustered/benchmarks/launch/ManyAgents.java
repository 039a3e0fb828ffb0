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
 * What an engine spends on 1,000 agents that hold one cluster and speak the real protocol from
 * another JVM, without workloads.
 */
final class ManyAgents implements Suite.Measurement {

  private static final int AGENTS = 1000;
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
    ClusterSpec spec = ClusterSpec.builder("agents").nodes(AGENTS).command("none").build();
    double processorBefore = Consumption.processorSeconds();
    long start = System.nanoTime();
    try (ClusterEngine engine =
            Clusters.engine()
                .discovery(ClusterEngine.Builder.Discovery.OFF)
                .backend(new SwarmFactory(AGENTS))
                .open();
        Cluster cluster = engine.launch(spec).await()) {
      double launch = (System.nanoTime() - start) / 1e9;
      double launchProcessor = Consumption.processorSeconds() - processorBefore;
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      List<Double> percents = new ArrayList<>();
      for (int interval = 0; interval < INTERVALS; interval++) {
        double before = Consumption.processorSeconds();
        TimeUnit.SECONDS.sleep(INTERVAL_SECONDS);
        percents.add(100 * (Consumption.processorSeconds() - before) / INTERVAL_SECONDS);
      }
      double heap = Consumption.heapMebibytes() - heapBefore;
      if (cluster.exit().isDone()) {
        throw new IllegalStateException("the cluster without work ended: " + cluster.join());
      }
      Distribution shares = Distribution.of(percents);
      return List.of(
          Figure.lower(name(), shares.median(), "% core", "engine's JVM; " + shares.spread()),
          Figure.lower("agents.heap", heap, "MiB", "live heap that the engine added"),
          Figure.lower(
              "agents.launch",
              launch,
              "s",
              "call to running; engine's JVM took %.1f s of processor".formatted(launchProcessor)));
    }
  }
}

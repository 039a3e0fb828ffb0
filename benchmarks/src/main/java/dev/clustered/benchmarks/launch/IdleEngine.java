// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.launch;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.benchmarks.Consumption;
import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.LocalEngine;
import dev.clustered.benchmarks.Suite;
import dev.clustered.model.ClusterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What an engine, its 64 nodes and their agents, all in this JVM, take of a core while every rank
 * sleeps.
 */
final class IdleEngine implements Suite.Measurement {

  private static final int NODES = 64;
  private static final int SETTLE_SECONDS = 30;
  private static final int INTERVALS = 12;
  private static final int INTERVAL_SECONDS = 5;
  private static final double BAR_PERCENT = 1;

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public List<Figure> run() throws Exception {
    ClusterSpec spec = ClusterSpec.builder("idle").nodes(NODES).command("sleep", "3600").build();
    try (ClusterEngine engine = LocalEngine.open(NODES);
        Cluster cluster = engine.launch(spec).await()) {
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      List<Double> percents = new ArrayList<>();
      for (int interval = 0; interval < INTERVALS; interval++) {
        double before = Consumption.processorSeconds();
        TimeUnit.SECONDS.sleep(INTERVAL_SECONDS);
        percents.add(100 * (Consumption.processorSeconds() - before) / INTERVAL_SECONDS);
      }
      if (cluster.exit().isDone()) {
        throw new IllegalStateException("the sleeping cluster ended: " + cluster.join());
      }
      Distribution shares = Distribution.of(percents);
      return List.of(
          Figure.lower(name(), shares.median(), "% core", shares.spread()).withBar(BAR_PERCENT));
    }
  }
}

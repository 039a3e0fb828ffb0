// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.launch;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.LocalEngine;
import dev.clustered.benchmarks.Suite;
import dev.clustered.model.ClusterSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * From the call to all ranks in user code, on a warm engine without warm nodes; beside it the same
 * processes started bare.
 */
final class LaunchTime implements Suite.Measurement {

  /** The just-in-time compiler is still at work long after the first nodes: these are not timed. */
  private static final int WARM_UP_NODES = 400;

  private final int nodes;
  private final double barMillis;
  private final int rounds;

  LaunchTime(int nodes, double barMillis, int rounds) {
    this.nodes = nodes;
    this.barMillis = barMillis;
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "launch." + nodes;
  }

  @Override
  public List<Figure> run() throws Exception {
    List<Double> ours = new ArrayList<>();
    List<Double> bare = new ArrayList<>();
    try (ClusterEngine engine = LocalEngine.open(nodes)) {
      for (int round = -WARM_UP_NODES / nodes; round < rounds; round++) {
        double millis = launch(engine);
        double peer = startBare();
        if (round >= 0) {
          ours.add(millis);
          bare.add(peer);
        }
      }
    }
    Distribution times = Distribution.of(ours);
    return List.of(
        Figure.lower(name(), times.median(), "ms", times.spread())
            .withBar(barMillis)
            .withPeer("bare ProcessBuilder", Distribution.of(bare).median()));
  }

  private double launch(ClusterEngine engine) throws InterruptedException {
    ClusterSpec spec = ClusterSpec.builder("launch").nodes(nodes).command("true").build();
    long start = System.nanoTime();
    try (Cluster cluster = engine.launch(spec).await()) {
      double millis = millisSince(start);
      if (!cluster.join().success()) {
        throw new IllegalStateException("a rank that runs true failed: " + cluster.join());
      }
      return millis;
    }
  }

  /** What anybody would do without a library: start each process, with its output in a file. */
  private double startBare() throws IOException, InterruptedException {
    List<Process> processes = new ArrayList<>();
    ProcessBuilder builder =
        new ProcessBuilder("true").redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectErrorStream(true);
    long start = System.nanoTime();
    for (int node = 0; node < nodes; node++) {
      processes.add(builder.start());
    }
    double millis = millisSince(start);
    for (Process process : processes) {
      process.waitFor();
    }
    return millis;
  }

  private static double millisSince(long start) {
    return (System.nanoTime() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);
  }
}

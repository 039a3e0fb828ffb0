// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.running;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.benchmarks.Consumption;
import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.LocalEngine;
import dev.clustered.benchmarks.Suite;
import dev.clustered.model.ClusterSpec;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How fast the merged view of four ranks' logs is read, every line with its rank in front; beside
 * it the same logs as raw bytes, one rank after the other. The logs are kept whole before, so what
 * is measured is the merging: what a running cluster brings is {@code logs} of the suite launch.
 */
final class MergedView implements Suite.Measurement {

  private static final int RANKS = 4;
  private static final int MEBIBYTES = 128;
  private static final int WARM_UP = 2;
  private static final int ROUNDS = 7;
  private static final double BAR_MEGABYTES = 500;
  private static final List<String> FLOOD =
      List.of(
          "sh",
          "-c",
          "yes 'step 123456 loss 0.123456 learning rate 0.000123 tokens per second 123456.7'"
              + " | head -c "
              + MEBIBYTES
              + "M");

  @Override
  public String name() {
    return "logs";
  }

  @Override
  public List<Figure> run() throws Exception {
    ClusterSpec spec = ClusterSpec.builder("logs").nodes(RANKS).command(FLOOD).build();
    List<Double> merged = new ArrayList<>();
    List<Double> raw = new ArrayList<>();
    try (ClusterEngine engine = LocalEngine.open(RANKS);
        Cluster cluster = engine.launch(spec).await()) {
      if (!cluster.join().success()) {
        throw new IllegalStateException("a rank that only writes failed: " + cluster.join());
      }
      double before = Consumption.heapMebibytes();
      double most;
      try (Consumption.HeapWatch watch = new Consumption.HeapWatch()) {
        for (int round = -WARM_UP; round < ROUNDS; round++) {
          double one = rate(cluster, List.of(LogQuery.all()));
          double other = rate(cluster, ranks());
          if (round >= 0) {
            merged.add(one);
            raw.add(other);
          }
        }
        most = watch.mostMebibytes();
      }
      Distribution rates = Distribution.of(merged);
      return List.of(
          Figure.higher(
                  name(),
                  rates.median(),
                  "MB/s",
                  "%d x %d MiB; %s".formatted(RANKS, MEBIBYTES, rates.spread()))
              .withBar(BAR_MEGABYTES)
              .withPeer("raw, unmerged", Distribution.of(raw).median()),
          Figure.lower(
              "logs.merged.heap", most - before, "MiB", "most live heap over that before"));
    }
  }

  private static List<LogQuery> ranks() {
    List<LogQuery> each = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      each.add(LogQuery.ofRank(rank));
    }
    return each;
  }

  private static double rate(Cluster cluster, List<LogQuery> queries) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long bytes = 0;
    long begun = System.nanoTime();
    for (LogQuery query : queries) {
      try (LogStream log = cluster.logs(query);
          InputStream in = log.bytes()) {
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          bytes += read;
        }
      }
    }
    double seconds = (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1);
    if (bytes < ((long) RANKS * MEBIBYTES) << 20) {
      throw new IllegalStateException("the logs have " + bytes + " bytes only");
    }
    return bytes / 1e6 / seconds;
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.launch;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Four ranks that write lines as fast as they can, from their start until the engine has every
 * byte; beside it the same processes started bare, each with its output in a file.
 */
final class LogThroughput implements Suite.Measurement {

  private static final int RANKS = 4;
  private static final int MEBIBYTES = 256;
  private static final int WARM_UP = 1;
  private static final int ROUNDS = 5;
  private static final List<String> FLOOD =
      List.of("sh", "-c", "yes 'epoch 17 step 123456 loss 0.123456' | head -c " + MEBIBYTES + "M");

  @Override
  public String name() {
    return "logs";
  }

  @Override
  public List<Figure> run() throws Exception {
    List<Double> ours = new ArrayList<>();
    List<Double> bare = new ArrayList<>();
    try (ClusterEngine engine = LocalEngine.warm(RANKS, event -> {})) {
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        double rate = flood(engine);
        double peer = floodBare();
        if (round >= 0) {
          ours.add(rate);
          bare.add(peer);
        }
      }
      Distribution rates = Distribution.of(ours);
      String size = "%d x %d MiB a round; ".formatted(RANKS, MEBIBYTES);
      return List.of(
          Figure.higher(name(), rates.median(), "MiB/s", size + rates.spread())
              .withPeer("bare, into files", Distribution.of(bare).median()),
          heap(engine));
    }
  }

  /** One more round, not timed, with the live heap looked at again and again. */
  private static Figure heap(ClusterEngine engine) throws InterruptedException, IOException {
    double before = Consumption.heapMebibytes();
    try (Consumption.HeapWatch watch = new Consumption.HeapWatch()) {
      double rate = flood(engine);
      return Figure.lower(
          "logs.heap",
          watch.mostMebibytes() - before,
          "MiB",
          "most live heap in a flood at %.0f MiB/s, over the %.0f before".formatted(rate, before));
    }
  }

  private static double flood(ClusterEngine engine) throws InterruptedException, IOException {
    ClusterSpec spec = ClusterSpec.builder("logs").nodes(RANKS).command(FLOOD).build();
    try (Cluster cluster = engine.launch(spec).await()) {
      long start = System.nanoTime();
      if (!cluster.join().success()) {
        throw new IllegalStateException("a rank that only writes failed: " + cluster.join());
      }
      double rate = rate(start);
      for (int rank = 0; rank < RANKS; rank++) {
        requireWhole(cluster, rank);
      }
      return rate;
    }
  }

  private static void requireWhole(Cluster cluster, int rank) throws IOException {
    long bytes = 0;
    try (LogStream log = cluster.logs(LogQuery.ofRank(rank));
        InputStream in = log.bytes()) {
      bytes = in.transferTo(java.io.OutputStream.nullOutputStream());
    }
    if (bytes != (long) MEBIBYTES << 20) {
      throw new IllegalStateException("rank " + rank + " has a log of " + bytes + " bytes");
    }
  }

  private static double floodBare() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("clustered-logs-");
    List<Path> files = new ArrayList<>();
    List<Process> processes = new ArrayList<>();
    long start = System.nanoTime();
    for (int rank = 0; rank < RANKS; rank++) {
      files.add(directory.resolve("rank-" + rank));
      processes.add(new ProcessBuilder(FLOOD).redirectOutput(files.getLast().toFile()).start());
    }
    for (Process process : processes) {
      process.waitFor();
    }
    double rate = rate(start);
    for (Path file : files) {
      Files.delete(file);
    }
    Files.delete(directory);
    return rate;
  }

  private static double rate(long start) {
    double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
    return RANKS * MEBIBYTES / seconds;
  }
}

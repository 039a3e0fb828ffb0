// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.running;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.LocalEngine;
import dev.clustered.benchmarks.Suite;
import dev.clustered.model.ClusterSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How long a stop takes beyond its grace, until nothing is left, of ranks that ignore SIGTERM and
 * have started a grandchild in a session of its own that ignores it too.
 */
final class CancelTime implements Suite.Measurement {

  private static final int WARM_UP = 5;
  private static final Duration GRACE = Duration.ofMillis(500);
  private static final double BAR_MILLIS = 1_000;
  private static final String DEAF =
      "trap '' TERM; setsid sh -c \"trap '' TERM; while :; do sleep 600; done\" & "
          + "echo up; while :; do sleep 600; done";

  private final int ranks;
  private final int rounds;

  CancelTime(int ranks, int rounds) {
    this.ranks = ranks;
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "cancel";
  }

  @Override
  public List<Figure> run() throws Exception {
    List<Double> beyond = new ArrayList<>();
    ClusterSpec spec = ClusterSpec.builder("cancel").nodes(ranks).command("sh", "-c", DEAF).build();
    try (ClusterEngine engine = LocalEngine.warm(ranks, event -> {})) {
      for (int round = -WARM_UP; round < rounds; round++) {
        Cluster cluster = engine.launch(spec).await();
        awaitTraps(cluster);
        long begun = System.nanoTime();
        cluster.stop(GRACE);
        long took = System.nanoTime() - begun - GRACE.toNanos();
        if (round >= 0) {
          beyond.add(took / (double) TimeUnit.MILLISECONDS.toNanos(1));
        }
      }
    }
    Distribution times = Distribution.of(beyond);
    return List.of(
        Figure.lower(name(), times.percentile(99), "ms", "beyond the grace, p99; " + times.spread())
            .withBar(BAR_MILLIS));
  }

  /** Each rank says so when it and its grandchild are deaf to SIGTERM. */
  private void awaitTraps(Cluster cluster) throws Exception {
    for (int rank = 0; rank < ranks; rank++) {
      try (LogStream log = cluster.logs(LogQuery.ofRank(rank).following())) {
        if (log.lines().findFirst().isEmpty()) {
          throw new IllegalStateException("rank " + rank + " ended before it was to end");
        }
      }
    }
  }
}

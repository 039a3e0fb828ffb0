// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.running;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.LocalEngine;
import dev.clustered.benchmarks.Suite;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * From the last act of one of many ranks to the verdict as a listener hears it, while all others
 * run on. The rank writes the time and exits, so the end of its clock's process counts too. It
 * fails only when all run, as the user of a large cluster sees it.
 */
final class VerdictOfMany implements Suite.Measurement {

  private static final int WARM_UP = 3;
  private static final double BAR_MILLIS = 100;
  private static final String SCRIPT =
      "test $NODE_RANK = $WHO || exec sleep 600;"
          + " until test -e \"$0.go\"; do sleep 0.05; done; date +%s%N >\"$0\"; exit 3";

  private final int ranks;
  private final int rounds;

  VerdictOfMany(int ranks, int rounds) {
    this.ranks = ranks;
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "verdict." + ranks;
  }

  @Override
  public List<Figure> run() throws Exception {
    LinkedBlockingQueue<Instant> verdicts = new LinkedBlockingQueue<>();
    List<Double> all = new ArrayList<>();
    Path directory = Files.createTempDirectory("clustered-verdict-");
    Path stamp = directory.resolve("stamp");
    Path go = directory.resolve("stamp.go");
    try (ClusterEngine engine = LocalEngine.warm(ranks, event -> note(event, verdicts))) {
      for (int round = -WARM_UP; round < rounds; round++) {
        double millis = fail(engine, stamp, go, Math.floorMod(round * 7, ranks), verdicts);
        Files.delete(stamp);
        Files.delete(go);
        if (round >= 0) {
          all.add(millis);
        }
      }
    } finally {
      Files.deleteIfExists(stamp);
      Files.deleteIfExists(go);
      Files.delete(directory);
    }
    Distribution times = Distribution.of(all);
    return List.of(
        Figure.lower(name(), times.percentile(99), "ms", "p99 of " + rounds + "; " + times.spread())
            .withBar(BAR_MILLIS));
  }

  private static void note(ClusterEvent event, LinkedBlockingQueue<Instant> verdicts) {
    if (event instanceof ClusterEvent.Verdict) {
      verdicts.add(Instant.now());
    }
  }

  private double fail(
      ClusterEngine engine, Path stamp, Path go, int who, LinkedBlockingQueue<Instant> verdicts)
      throws InterruptedException, IOException {
    ClusterSpec spec =
        ClusterSpec.builder("verdict")
            .nodes(ranks)
            .environment("WHO", Integer.toString(who))
            .grace(Duration.ofSeconds(1))
            .command("sh", "-c", SCRIPT, stamp.toString())
            .build();
    try (Cluster cluster = engine.launch(spec).await()) {
      Files.createFile(go);
      Instant heard = verdicts.poll(60, TimeUnit.SECONDS);
      if (heard == null || cluster.join().exitCode() != 3) {
        throw new IllegalStateException("no verdict of code 3: " + cluster.join());
      }
      long nanos = Long.parseLong(Files.readString(stamp).strip());
      Duration time = Duration.between(Instant.ofEpochSecond(0, nanos), heard);
      return time.toNanos() / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.launch;

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
 * From a rank's last act to the verdict as a listener hears it, while the other rank runs on;
 * beside it a thread that waits for the same process started bare. The rank writes the time and
 * exits, so the end of its clock's process counts too, on both sides.
 */
final class VerdictTime implements Suite.Measurement {

  private static final int WARM_UP = 20;
  private static final int ROUNDS = 200;
  private static final double BAR_MILLIS = 100;
  private static final String FAIL = "date +%s%N >\"$0\"; exit 3";

  @Override
  public String name() {
    return "verdict";
  }

  @Override
  public List<Figure> run() throws Exception {
    LinkedBlockingQueue<Instant> verdicts = new LinkedBlockingQueue<>();
    List<Double> ours = new ArrayList<>();
    List<Double> bare = new ArrayList<>();
    Path stamp = Files.createTempFile("clustered-verdict-", ".txt");
    try (ClusterEngine engine = LocalEngine.warm(2, event -> note(event, verdicts))) {
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        double millis = fail(engine, stamp, verdicts);
        double peer = failBare(stamp);
        if (round >= 0) {
          ours.add(millis);
          bare.add(peer);
        }
      }
    } finally {
      Files.delete(stamp);
    }
    Distribution times = Distribution.of(ours);
    Distribution theirs = Distribution.of(bare);
    return List.of(
        Figure.lower(name(), times.percentile(99), "ms", "p99; " + times.spread())
            .withBar(BAR_MILLIS)
            .withPeer("Process.waitFor", theirs.percentile(99)),
        Figure.lower("verdict.median", times.median(), "ms", times.spread())
            .withPeer("Process.waitFor", theirs.median()));
  }

  private static void note(ClusterEvent event, LinkedBlockingQueue<Instant> verdicts) {
    if (event instanceof ClusterEvent.Verdict) {
      verdicts.add(Instant.now());
    }
  }

  private static double fail(
      ClusterEngine engine, Path stamp, LinkedBlockingQueue<Instant> verdicts)
      throws InterruptedException, IOException {
    String script = "if [ \"$NODE_RANK\" = 0 ]; then exec sleep 600; fi; " + FAIL;
    ClusterSpec spec =
        ClusterSpec.builder("verdict")
            .nodes(2)
            .grace(Duration.ofSeconds(1))
            .command("sh", "-c", script, stamp.toString())
            .build();
    try (Cluster cluster = engine.launch(spec).await()) {
      Instant heard = verdicts.poll(30, TimeUnit.SECONDS);
      if (heard == null || cluster.join().exitCode() != 3) {
        throw new IllegalStateException("no verdict of code 3: " + cluster.join());
      }
      return millisFrom(stamp, heard);
    }
  }

  private static double failBare(Path stamp) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("sh", "-c", FAIL, stamp.toString()).start();
    process.waitFor();
    return millisFrom(stamp, Instant.now());
  }

  private static double millisFrom(Path stamp, Instant heard) throws IOException {
    long nanos = Long.parseLong(Files.readString(stamp).strip());
    Duration time = Duration.between(Instant.ofEpochSecond(0, nanos), heard);
    return time.toNanos() / (double) TimeUnit.MILLISECONDS.toNanos(1);
  }
}

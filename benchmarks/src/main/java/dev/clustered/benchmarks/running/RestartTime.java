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
import dev.clustered.model.RestartPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * From the last act of a rank that fails until all ranks of the next attempt run, as a listener
 * hears it, without a pause; beside it the same processes ended and started bare. The rank lets the
 * others come up, writes the time and exits, so the end of its clock's process counts too.
 */
final class RestartTime implements Suite.Measurement {

  private static final int WARM_UP = 8;

  private final int ranks;
  private final double barMillis;
  private final int rounds;

  RestartTime(int ranks, double barMillis, int rounds) {
    this.ranks = ranks;
    this.barMillis = barMillis;
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "restart." + ranks;
  }

  /** When the last rank of each attempt was heard to run. */
  private static final class Starts {
    private final Map<Integer, Integer> counts = new ConcurrentHashMap<>();
    private final Map<Integer, Instant> complete = new ConcurrentHashMap<>();

    void on(ClusterEvent event, int ranks) {
      if (event instanceof ClusterEvent.RankStarted started
          && counts.merge(started.attempt(), 1, Integer::sum) == ranks) {
        complete.put(started.attempt(), Instant.now());
      }
    }
  }

  @Override
  public List<Figure> run() throws Exception {
    Path stamps = Files.createTempDirectory("clustered-restart-");
    Starts starts = new Starts();
    int attempts = WARM_UP + rounds;
    String script =
        "test $CLUSTERED_ATTEMPT -gt %d && exit 0; ".formatted(attempts)
            + "test $CLUSTERED_RANK = 0 || exec sleep 600; "
            + "sleep %s; date +%%s%%N >\"$0/$CLUSTERED_ATTEMPT\"; exit 3"
                .formatted(ranks > 16 ? "1.5" : "0.3");
    ClusterSpec spec =
        ClusterSpec.builder("restart")
            .nodes(ranks)
            .grace(Duration.ofSeconds(5))
            .restart(RestartPolicy.upTo(attempts).withPause(Duration.ZERO, Duration.ZERO))
            .command("sh", "-c", script, stamps.toString())
            .build();
    try (ClusterEngine engine = LocalEngine.open(ranks);
        Cluster cluster =
            engine.launch(spec).withListener(event -> starts.on(event, ranks)).await()) {
      if (!cluster.join().success()) {
        throw new IllegalStateException("the last attempt failed: " + cluster.join().cause());
      }
    }
    List<Double> ours = new ArrayList<>();
    List<Double> bare = new ArrayList<>();
    for (int attempt = WARM_UP + 1; attempt <= attempts; attempt++) {
      Instant running = starts.complete.get(attempt + 1);
      if (running != null && attempt < attempts) { // Of the last one some may end at once.
        ours.add(millis(failedAt(stamps.resolve(Integer.toString(attempt))), running));
        bare.add(restartBare());
      }
    }
    delete(stamps);
    Distribution times = Distribution.of(ours);
    return List.of(
        Figure.lower(name(), times.median(), "ms", times.spread())
            .withBar(barMillis)
            .withPeer("bare ProcessBuilder", Distribution.of(bare).median()));
  }

  private static Instant failedAt(Path stamp) throws IOException {
    return Instant.ofEpochSecond(0, Long.parseLong(Files.readString(stamp).strip()));
  }

  private static void delete(Path stamps) throws IOException {
    try (var files = Files.newDirectoryStream(stamps)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(stamps);
  }

  /** What anybody would do without a library: end each process, wait, and start it again. */
  private double restartBare() throws IOException, InterruptedException {
    List<Process> first = start();
    Instant begun = Instant.now();
    first.forEach(Process::destroy);
    for (Process process : first) {
      process.waitFor();
    }
    List<Process> again = start();
    double millis = millis(begun, Instant.now());
    again.forEach(Process::destroyForcibly);
    for (Process process : again) {
      process.waitFor();
    }
    return millis;
  }

  private List<Process> start() throws IOException {
    List<Process> processes = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      processes.add(new ProcessBuilder("sleep", "600").inheritIO().start());
    }
    return processes;
  }

  private static double millis(Instant from, Instant to) {
    return Duration.between(from, to).toNanos() / (double) TimeUnit.MILLISECONDS.toNanos(1);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.running;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.backend.local.AgentPlace;
import dev.clustered.backend.local.LocalBackend;
import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * From the moment at which an agent in a JVM of its own is stopped by SIGSTOP to the verdict, with
 * the engine's own limit and with a shorter one.
 */
final class SilenceTime implements Suite.Measurement {

  private static final double BAR_SECONDS = 15;
  private static final Duration SHORT = Duration.ofSeconds(2);

  private final int rounds;

  SilenceTime(int rounds) {
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "silence";
  }

  @Override
  public List<Figure> run() throws Exception {
    Distribution standard = times(Optional.empty());
    Distribution shorter = times(Optional.of(SHORT));
    return List.of(
        Figure.lower(name(), standard.percentile(100), "s", "the longest; " + standard.spread())
            .withBar(BAR_SECONDS),
        Figure.lower(
            "silence.2s", shorter.percentile(100), "s", "limit of 2 s; " + shorter.spread()));
  }

  private Distribution times(Optional<Duration> limit) throws Exception {
    List<Double> seconds = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      seconds.add(fallSilent(limit));
    }
    return Distribution.of(seconds);
  }

  private static double fallSilent(Optional<Duration> limit) throws Exception {
    LinkedBlockingQueue<ClusterEvent.Verdict> verdicts = new LinkedBlockingQueue<>();
    ClusterEngine.Builder standard =
        Clusters.engine()
            .discovery(ClusterEngine.Builder.Discovery.OFF)
            .backend(LocalBackend.builder().nodes(2).agents(AgentPlace.OWN_JVM).factory())
            .listener(
                event -> {
                  if (event instanceof ClusterEvent.Verdict verdict) {
                    verdicts.add(verdict);
                  }
                });
    ClusterEngine.Builder builder = limit.map(standard::silenceLimit).orElse(standard);
    ClusterSpec spec = ClusterSpec.builder("silence").nodes(2).command("sleep", "600").build();
    List<ProcessHandle> before = ProcessHandle.current().children().toList();
    try (ClusterEngine engine = builder.open();
        Cluster cluster = engine.launch(spec).await()) {
      ProcessHandle agent =
          ProcessHandle.current()
              .children()
              .filter(child -> !before.contains(child))
              .filter(child -> child.info().command().orElse("").endsWith("java"))
              .findFirst()
              .orElseThrow();
      long begun = System.nanoTime();
      signal("STOP", agent);
      try {
        ClusterEvent.Verdict verdict = verdicts.poll(60, TimeUnit.SECONDS);
        long took = System.nanoTime() - begun;
        if (verdict == null || verdict.cause().orElseThrow().code() != ErrorCode.NODE_LOST) {
          throw new IllegalStateException(cluster.id() + " had no verdict of a lost node");
        }
        return took / (double) TimeUnit.SECONDS.toNanos(1);
      } finally {
        if (agent.isAlive()) {
          signal("CONT", agent);
        }
      }
    }
  }

  private static void signal(String name, ProcessHandle process)
      throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-s", name, Long.toString(process.pid())).start();
    if (kill.waitFor() != 0 && process.isAlive()) {
      throw new IOException("no signal " + name + " to " + process.pid());
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.PlanPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A trace of real jobs on pools of several sizes, by the planner and by the plain rules of batch
 * systems beside it. The folder of the trace is named with {@code -Dtraces=FOLDER}.
 */
public final class TraceReplay implements Suite.Measurement {

  private static final int[] POOLS = {32, 128, 512};
  private static final int NODES_OF_RACK = 16;
  private static final double LOAD = 0.5;

  /** So many jobs of a pool are replayed, the first ones, so that the suite takes minutes. */
  private static final int MOST_JOBS = 12_000;

  private static final long SEED = 20171222;
  private static final double HOUR = 3_600_000;

  @Override
  public String name() {
    return "trace";
  }

  @Override
  public List<Figure> run() throws IOException {
    Path folder = Path.of(System.getProperty("traces", ""));
    Optional<Philly> trace = Philly.in(folder);
    if (trace.isEmpty()) {
      System.out.println(
          "trace: left out, there is no philly_82k.csv in '%s'; name its folder with -Dtraces"
              .formatted(folder));
      return List.of();
    }
    List<Figure> figures = new ArrayList<>();
    for (int nodes : POOLS) {
      List<Job> jobs = trace.get().jobs(nodes, Philly.Sizes.DRAWN, LOAD, SEED);
      figures.addAll(figures(nodes, jobs.subList(0, Math.min(jobs.size(), MOST_JOBS))));
    }
    return figures;
  }

  private static List<Figure> figures(int nodes, List<Job> jobs) {
    PlanPolicy policy = new PlanPolicy(Duration.ofDays(36_500));
    ByPlanner planner = new ByPlanner(Nodes.free(Gpus.SHAPE, nodes, NODES_OF_RACK), policy);
    Outcome ours = Replay.run(jobs, nodes, planner);
    List<Outcome> others =
        Stream.of(ByCount.Rule.values())
            .map(rule -> Replay.run(jobs, nodes, new ByCount(rule, nodes)))
            .toList();
    Outcome easy = others.getLast();
    String name = "trace." + nodes + ".";
    String which = "seed %d, load %.1f; %s; FIFO, greedy, EASY: ".formatted(SEED, LOAD, ours);
    return List.of(
        Figure.lower(
                name + "wait",
                ours.meanWait() / HOUR,
                "h",
                which + each(others, o -> o.meanWait() / HOUR))
            .withPeer("EASY", easy.meanWait() / HOUR),
        Figure.lower(
                name + "p99",
                ours.p99Wait() / HOUR,
                "h",
                which + each(others, o -> o.p99Wait() / HOUR))
            .withPeer("EASY", easy.p99Wait() / HOUR),
        Figure.higher(
                name + "utilisation",
                ours.utilisation() * 100,
                "%",
                which + each(others, o -> o.utilisation() * 100))
            .withPeer("EASY", easy.utilisation() * 100),
        Figure.lower(
                name + "fragmentation",
                ours.fragmentation() * 100,
                "%",
                which + each(others, o -> o.fragmentation() * 100))
            .withPeer("EASY", easy.fragmentation() * 100),
        Figure.lower(
                name + "head",
                ours.headDelay() / HOUR,
                "h",
                which + each(others, o -> o.headDelay() / HOUR))
            .withPeer("EASY", easy.headDelay() / HOUR),
        Figure.lower(
            name + "planner",
            planner.nanos() / 1e9,
            "s",
            "%d plans, longest %.1f ms".formatted(planner.plans(), planner.longestNanos() / 1e6)));
  }

  private static String each(List<Outcome> others, ToDoubleFunction<Outcome> value) {
    return others.stream()
        .map(other -> "%.3g".formatted(value.applyAsDouble(other)))
        .collect(Collectors.joining(", "));
  }
}

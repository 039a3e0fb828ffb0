// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The three loads of Kueue's scale test, each replayed to its end: what the planner takes in all.
 */
public final class KueueReplay implements Suite.Measurement {

  private static final int MOST_ROUNDS = 8;

  /** A planner is compiled while it runs; what the first rounds take is told, and not counted. */
  private static final int ROUNDS_TO_WARM_UP = 3;

  /** After so long no other round is begun; if it comes to that, the last one counts. */
  private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final double BAR_MILLIS = 1500;

  @Override
  public String name() {
    return "replay";
  }

  @Override
  public List<Figure> run() {
    Map<String, List<Double>> times = new TreeMap<>();
    Map<String, String> notes = new TreeMap<>();
    List<KueueLoad> loads = List.of(KueueLoad.baseline(), KueueLoad.tas(), KueueLoad.large());
    long begun = System.nanoTime();
    double cold = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
      if (round > 0 && System.nanoTime() - begun > ENOUGH_NANOS) {
        break;
      }
      if (round <= ROUNDS_TO_WARM_UP) {
        times.clear();
      }
      double all = 0;
      for (KueueLoad load : loads) {
        ByPlanner planner = new ByPlanner(KueueLoad.nodes(), load.policy());
        Outcome outcome = Replay.run(load.jobs(), load.capacity(), planner);
        double millis = planner.nanos() / 1e6;
        all += millis;
        times.computeIfAbsent(load.name(), name -> new ArrayList<>()).add(millis);
        notes.put(
            load.name(),
            "%d plans, longest %.1f ms; %s"
                .formatted(planner.plans(), planner.longestNanos() / 1e6, outcome));
      }
      times.computeIfAbsent("all", name -> new ArrayList<>()).add(all);
      if (round == 0) {
        cold = all;
      }
    }
    List<Figure> figures = new ArrayList<>();
    String note = "three replays, 80,000 jobs; the first round %.0f ms; ".formatted(cold);
    figures.add(figure("replay", "all", times, note).withBar(BAR_MILLIS));
    for (KueueLoad load : loads) {
      figures.add(
          figure("replay." + load.name(), load.name(), times, notes.get(load.name()) + "; "));
    }
    return figures;
  }

  private static Figure figure(
      String name, String key, Map<String, List<Double>> times, String note) {
    Distribution all = Distribution.of(times.getOrDefault(key, List.of()));
    return Figure.lower(name, all.median(), "ms", note + all.spread());
  }
}

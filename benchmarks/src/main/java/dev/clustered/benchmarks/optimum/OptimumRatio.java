// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.optimum;

import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import java.util.ArrayList;
import java.util.List;

/** What part of the most nodes that could be placed one plan places, in drawn cases. */
public final class OptimumRatio implements Suite.Measurement {

  private static final int CASES = 300;
  private static final double MOST_SECONDS = 20;
  private static final double MEAN_BAR = 99;
  private static final double WORST_BAR = 95;

  @Override
  public String name() {
    return "optimum";
  }

  /**
   * What came of the cases of some seeds.
   *
   * @param ratios planned over optimal, for each seed whose optimum was proved
   */
  record Ratios(
      List<Double> ratios, long worstSeed, int unproved, long oursNanos, long theirsNanos) {
    Ratios {
      ratios = List.copyOf(ratios);
    }

    double mean() {
      return ratios.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    double worst() {
      return ratios.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
    }
  }

  static Ratios ratios(int cases) {
    Optimum optimum = new Optimum(MOST_SECONDS);
    List<Double> ratios = new ArrayList<>();
    double worst = 2;
    long worstSeed = 0;
    long ours = 0;
    long theirs = 0;
    for (long seed = 0; seed < cases; seed++) {
      RackCase drawn = RackCase.drawn(seed);
      long start = System.nanoTime();
      var most = optimum.nodes(drawn);
      long between = System.nanoTime();
      int placed = Planned.nodes(drawn);
      ours += System.nanoTime() - between;
      theirs += between - start;
      if (most.isPresent()) {
        double ratio = (double) placed / most.getAsInt();
        ratios.add(ratio);
        if (ratio < worst) {
          worst = ratio;
          worstSeed = seed;
        }
      }
    }
    return new Ratios(ratios, worstSeed, cases - ratios.size(), ours, theirs);
  }

  @Override
  public List<Figure> run() {
    Ratios all = ratios(CASES);
    int proved = all.ratios().size();
    String note =
        "of the proved optimum, %d cases of seeds 0 to %d, %d not proved"
            .formatted(proved, CASES - 1, all.unproved());
    return List.of(
        Figure.higher("optimum.mean", all.mean() * 100, "%", note).withBar(MEAN_BAR),
        Figure.higher("optimum.worst", all.worst() * 100, "%", "seed " + all.worstSeed())
            .withBar(WORST_BAR),
        Figure.lower("optimum.time", all.oursNanos() / 1e6 / CASES, "ms", "mean of a case")
            .withPeer("CP-SAT", all.theirsNanos() / 1e6 / CASES));
  }
}

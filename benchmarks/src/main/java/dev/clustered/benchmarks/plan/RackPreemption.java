// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Scheduler;
import dev.clustered.core.plan.Terms;
import dev.clustered.model.ClusterId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * 2,000 nodes in 20 racks, full with 700 gangs of two and three nodes and of three priorities, and
 * one gang of a high priority that wants 64 nodes of one rack: whom to end.
 */
final class RackPreemption implements Suite.Measurement {

  private static final int RACKS = 20;
  private static final int NODES_OF_RACK = 100;
  private static final int THREES_OF_RACK = 30;
  private static final int GANGS_OF_RACK = 35;
  private static final int PRIORITIES = 3;
  private static final int WANTED = 64;
  private static final int WARM_UP = 50;
  private static final int ROUNDS = 100;
  private static final double BAR_MILLIS = 20;

  /** A gang that runs; gangs are numbered through the racks. */
  private record Low(int number, int rack, int nodes, int priority) {
    ClusterId id() {
      return new ClusterId("low-%03d".formatted(number));
    }
  }

  @Override
  public String name() {
    return "preempt";
  }

  @Override
  public List<Figure> run() {
    List<Low> lows = lows();
    Scheduler scheduler = full(lows);
    Fewest fewest = fewest(lows);
    List<Double> times = new ArrayList<>();
    int victims = 0;
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      GangRequest high =
          Racks.wholeNodes("high-" + (round + WARM_UP), WANTED, Optional.of("rack"))
              .withTerms(Terms.DEFAULT.withPriority(100));
      long start = System.nanoTime();
      scheduler.waits(high);
      Plan plan = scheduler.plan(Racks.NOW);
      double millis = (System.nanoTime() - start) / 1e6;
      victims = check(lows, plan, fewest);
      scheduler.served(high.id());
      if (round >= 0) {
        times.add(millis);
      }
    }
    Distribution all = Distribution.of(times);
    return List.of(
        Figure.lower(
                name(),
                all.median(),
                "ms",
                "%d victims of priority %d at most, which is the least possible; %s"
                    .formatted(victims, fewest.priority(), all.spread()))
            .withBar(BAR_MILLIS));
  }

  private static List<Low> lows() {
    List<Low> lows = new ArrayList<>();
    for (int rack = 0; rack < RACKS; rack++) {
      for (int gang = 0; gang < GANGS_OF_RACK; gang++) {
        int number = lows.size();
        lows.add(new Low(number, rack, gang < THREES_OF_RACK ? 3 : 2, number % PRIORITIES));
      }
    }
    return lows;
  }

  private static Scheduler full(List<Low> lows) {
    Scheduler scheduler = Racks.scheduler(RACKS * NODES_OF_RACK);
    int node = 0;
    for (Low low : lows) {
      GangRequest gang =
          Racks.wholeNodes(low.id().value(), low.nodes(), Optional.empty())
              .withTerms(Terms.DEFAULT.withPriority(low.priority()).preemptibleByOthers());
      scheduler.runs(Racks.running(gang, node, Racks.NOW.minusSeconds(3600 + low.number())));
      node += low.nodes();
    }
    return scheduler;
  }

  /** Up to which priority gangs have to end, and how many of them at least. */
  private record Fewest(int priority, int gangs) {}

  /**
   * The least by definition: the lowest priority up to which some rack holds enough, and among the
   * racks that do the fewest gangs that are enough. The largest first are the fewest.
   */
  private static Fewest fewest(List<Low> lows) {
    for (int priority = 0; priority < PRIORITIES; priority++) {
      int best = Integer.MAX_VALUE;
      for (int rack = 0; rack < RACKS; rack++) {
        best = Math.min(best, fewest(lows, rack, priority));
      }
      if (best < Integer.MAX_VALUE) {
        return new Fewest(priority, best);
      }
    }
    throw new IllegalStateException("no rack has " + WANTED + " nodes");
  }

  private static int fewest(List<Low> lows, int rack, int priority) {
    List<Integer> sizes =
        lows.stream()
            .filter(low -> low.rack() == rack && low.priority() <= priority)
            .map(Low::nodes)
            .sorted(Comparator.reverseOrder())
            .toList();
    int nodes = 0;
    for (int gangs = 0; gangs < sizes.size(); gangs++) {
      nodes += sizes.get(gangs);
      if (nodes >= WANTED) {
        return gangs + 1;
      }
    }
    return Integer.MAX_VALUE;
  }

  private static int check(List<Low> lows, Plan plan, Fewest fewest) {
    if (plan.decisions().size() != 1
        || !(plan.decisions().getFirst() instanceof Decision.Preempt preempt)) {
      throw new IllegalStateException("gangs are to end, and the plan is " + plan);
    }
    Set<ClusterId> ended = new HashSet<>(preempt.victims());
    List<Low> victims = lows.stream().filter(low -> ended.contains(low.id())).toList();
    int nodes = victims.stream().mapToInt(Low::nodes).sum();
    long racks = victims.stream().map(Low::rack).distinct().count();
    int priority = victims.stream().mapToInt(Low::priority).max().orElseThrow();
    if (nodes < WANTED
        || racks != 1
        || priority > fewest.priority()
        || victims.size() > fewest.gangs()) {
      throw new IllegalStateException(
          "at least %s; the plan ends %d gangs of %d nodes in %d racks of priority %d at most"
              .formatted(fewest, victims.size(), nodes, racks, priority));
    }
    return victims.size();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.benchmarks.Distribution;
import dev.clustered.benchmarks.Figure;
import dev.clustered.benchmarks.Suite;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * How many times more the same change costs when ten times as much exists: ten times the nodes, the
 * gangs that run, and the gangs that wait. And how many times more ten times the change costs.
 */
final class Growth implements Suite.Measurement {

  private static final int NODES = 5000;
  private static final int RUNNING = 1250;
  private static final int WAITING = 200;
  private static final int GANGS = 225;
  private static final int TENFOLD = 10;
  private static final int WARM_UP = 50;
  private static final int ROUNDS = 100;

  @Override
  public String name() {
    return "growth";
  }

  @Override
  public List<Figure> run() {
    return List.of(
        figure("growth.nodes", "one gang comes", NODES, Growth::oneComes),
        figure(
            "growth.running",
            "one gang comes beside those that run",
            RUNNING,
            running -> oneComesBeside(NODES * TENFOLD, running)),
        figure(
            "growth.waiting",
            "one gang comes behind those that wait",
            WAITING,
            Growth::oneComesBehind),
        figure("growth.gangs", "that many come", GANGS, Growth::manyCome));
  }

  private static Figure figure(
      String name, String what, int size, IntFunction<Distribution> measured) {
    var unused = measured.apply(size); // Whichever came first would pay for the compilation.
    Distribution ten = measured.apply(size * TENFOLD);
    Distribution one = measured.apply(size);
    return Figure.lower(
        name,
        ten.median() / one.median(),
        "times",
        "%s: %.4f ms, and with ten times as many %.4f ms"
            .formatted(what, one.median(), ten.median()));
  }

  private static Distribution oneComes(int nodes) {
    return comesAndGoes(Racks.scheduler(nodes), 0);
  }

  private static Distribution oneComesBeside(int nodes, int running) {
    Scheduler scheduler = Racks.scheduler(nodes);
    for (int gang = 0; gang < running; gang++) {
      GangRequest request = Racks.wholeNodes("r-" + gang, 2, Optional.empty());
      scheduler.runs(Racks.running(request, gang * 2, Racks.NOW));
    }
    return comesAndGoes(scheduler, 0);
  }

  private static Distribution oneComesBehind(int waiting) {
    Scheduler scheduler = Racks.scheduler(NODES);
    scheduler.runs(Racks.running(Racks.wholeNodes("all", NODES, Optional.empty()), 0, Racks.NOW));
    for (int gang = 0; gang < waiting; gang++) {
      scheduler.waits(Racks.wholeNodes("w-" + gang, 4, Optional.of("rack")));
    }
    return comesAndGoes(scheduler, waiting);
  }

  /** From the coming of a gang of four to its plan, in which so many others wait. */
  private static Distribution comesAndGoes(Scheduler scheduler, int waiting) {
    List<Double> times = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      GangRequest gang = Racks.wholeNodes("g-" + (round + WARM_UP), 4, Optional.of("rack"));
      long start = System.nanoTime();
      scheduler.waits(gang);
      Plan plan = scheduler.plan(Racks.NOW);
      double millis = (System.nanoTime() - start) / 1e6;
      if (plan.decisions().size() != waiting + 1) {
        throw new IllegalStateException(
            "%d wait, and there are %d decisions".formatted(waiting + 1, plan.decisions().size()));
      }
      scheduler.served(gang.id());
      if (round >= 0) {
        times.add(millis);
      }
    }
    return Distribution.of(times);
  }

  private static Distribution manyCome(int gangs) {
    Scheduler scheduler = Racks.scheduler(NODES);
    List<Double> times = new ArrayList<>();
    for (int round = -WARM_UP / TENFOLD; round < ROUNDS / TENFOLD; round++) {
      long start = System.nanoTime();
      for (int gang = 0; gang < gangs; gang++) {
        scheduler.waits(Racks.gang(gang, 4));
      }
      Plan plan = scheduler.plan(Racks.NOW);
      double millis = (System.nanoTime() - start) / 1e6;
      Racks.requirePlaced(plan, gangs);
      for (int gang = 0; gang < gangs; gang++) {
        scheduler.served(Racks.gang(gang, 4).id());
      }
      if (round >= 0) {
        times.add(millis);
      }
    }
    return Distribution.of(times);
  }
}

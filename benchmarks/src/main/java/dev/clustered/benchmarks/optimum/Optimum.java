// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.optimum;

import com.google.ortools.Loader;
import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.CpSolverStatus;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.Literal;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.LongStream;

/** The most nodes that could be given to gangs of which each wants one rack, by CP-SAT. */
final class Optimum {

  private static final int WORKERS = 2;

  private final double mostSeconds;

  /** A solver that gives up after so many seconds. */
  Optimum(double mostSeconds) {
    this.mostSeconds = mostSeconds;
    Loader.loadNativeLibraries();
  }

  /** The proved optimum; empty when it was not proved in time. */
  OptionalInt nodes(RackCase racks) {
    CpModel model = new CpModel();
    List<Literal> placed = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
    List<List<Literal>> byRack = racks.racks().stream().map(r -> newList()).toList();
    List<List<Long>> sizesByRack = racks.racks().stream().map(r -> Optimum.<Long>list()).toList();
    for (int gang = 0; gang < racks.gangs().size(); gang++) {
      long size = racks.gangs().get(gang);
      List<Literal> somewhere = new ArrayList<>();
      for (int rack = 0; rack < racks.racks().size(); rack++) {
        if (size <= racks.racks().get(rack)) {
          Literal here = model.newBoolVar("gang " + gang + " in rack " + rack);
          somewhere.add(here);
          byRack.get(rack).add(here);
          sizesByRack.get(rack).add(size);
          placed.add(here);
          sizes.add(size);
        }
      }
      model.addAtMostOne(somewhere);
    }
    for (int rack = 0; rack < racks.racks().size(); rack++) {
      model.addLessOrEqual(
          sum(byRack.get(rack), sizesByRack.get(rack)), (long) racks.racks().get(rack));
    }
    model.maximize(sum(placed, sizes));
    CpSolver solver = new CpSolver();
    solver.getParameters().setMaxTimeInSeconds(mostSeconds).setNumWorkers(WORKERS);
    return solver.solve(model) == CpSolverStatus.OPTIMAL
        ? OptionalInt.of(Math.toIntExact(Math.round(solver.objectiveValue())))
        : OptionalInt.empty();
  }

  private static List<Literal> newList() {
    return new ArrayList<>();
  }

  private static <T> List<T> list() {
    return new ArrayList<>();
  }

  private static LinearExpr sum(List<Literal> terms, List<Long> weights) {
    long[] each = weights.stream().flatMapToLong(LongStream::of).toArray();
    return LinearExpr.weightedSum(terms.toArray(new Literal[0]), each);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks;

import dev.clustered.benchmarks.durable.DurableSuite;
import dev.clustered.benchmarks.launch.LaunchSuite;
import dev.clustered.benchmarks.plan.PlanSuite;
import dev.clustered.benchmarks.running.RunningSuite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runs one suite, prints its table and writes {@code target/NAME.json}. */
public final class Benchmarks {

  private static final List<Suite> SUITES =
      List.of(new LaunchSuite(), new RunningSuite(), new PlanSuite(), new DurableSuite());

  private Benchmarks() {}

  /**
   * Runs a suite.
   *
   * @param arguments the suite's name, and then the measurements to run, apart by spaces; all when
   *     none is named
   */
  public static void main(String[] arguments) throws Exception {
    List<String> names = List.of(String.join(" ", arguments).trim().split(" +", -1));
    String name = names.getFirst();
    Suite suite =
        SUITES.stream()
            .filter(known -> known.name().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException(unknown(name)));
    List<String> wanted = names.subList(1, names.size());
    List<Figure> figures = new ArrayList<>();
    Report.heading(System.out);
    for (Suite.Measurement measurement : suite.measurements()) {
      if (wanted.isEmpty() || wanted.contains(measurement.name())) {
        for (Figure figure : measurement.run()) {
          figures.add(figure);
          Report.row(System.out, figure);
        }
      }
    }
    Path file = Path.of("target", suite.name() + ".json");
    Report.write(file, figures);
    System.out.println("written to " + file.toAbsolutePath());
  }

  private static String unknown(String name) {
    return "There is no benchmark suite '%s'. Name one of: %s"
        .formatted(name, SUITES.stream().map(Suite::name).collect(Collectors.joining(", ")));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.examples.console.ClusterReporter;
import dev.clustered.examples.console.PhaseReporter;
import dev.clustered.examples.console.RunPrinter;
import dev.clustered.examples.console.Screen;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Trains the classifier on nodes of this machine, shows what happens as it happens, and compares
 * the model with the one that a single rank trains. Not thread-safe.
 */
public final class Digits {
  private final DigitsOptions options;
  private final TrainingOptions training;
  private final RunPrinter printer;
  private final PrintStream problems;
  private final ClusterReporter reporter;

  Digits(DigitsOptions options, RunPrinter printer, PrintStream problems) {
    this.options = options;
    this.training = TrainingOptions.ofEpochs(options.epochs());
    this.printer = printer;
    this.problems = problems;
    this.reporter = new ClusterReporter(printer, problems);
  }

  /** Runs the example and ends this JVM, with code 0 only if the ranks learned what they should. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    System.exit(start(List.of(arguments)));
  }

  private static int start(List<String> arguments) throws IOException, InterruptedException {
    try {
      DigitsOptions options = DigitsOptions.parse(arguments, System.getProperties());
      RunPrinter printer = new RunPrinter(System.out, Screen.detect(), options.epochs());
      return new Digits(options, printer, System.err).run();
    } catch (IllegalArgumentException | ClusterException failure) {
      System.err.println(failure.getMessage());
      return 1;
    }
  }

  /** Runs the example; returns the exit code of the program. */
  int run() throws IOException, InterruptedException {
    try (Cluster cluster =
        Clusters.launch(specification())
            .withBackend("local")
            .withListener(new PhaseReporter(printer))
            .await()) {
      reporter.epochs(cluster);
      ClusterExit exit = cluster.join();
      if (!exit.success()) {
        reporter.failure(exit);
        return 1;
      }
      return showResults(cluster);
    }
  }

  private ClusterSpec specification() {
    return ClusterSpec.builder("digits")
        .nodes(options.nodes())
        .task(DigitsTask.class, training)
        .grace(Duration.ofSeconds(5))
        .build();
  }

  private int showResults(Cluster cluster) throws IOException, InterruptedException {
    List<DigitsResult> results = cluster.results(DigitsResult.class);
    for (DigitsResult result : results) {
      printer.trained("rank " + result.rank(), result.took());
    }
    reporter.usage(cluster);
    DigitsCheck check = DigitsCheck.of(results, trainAlone());
    printer.finding(
        "compared",
        String.format(
            Locale.ROOT,
            "the model differs from that of one rank by %.1e at most",
            check.difference()));
    printer.done(check.accuracy());
    check.problems().forEach(problems::println);
    return check.problems().isEmpty() ? 0 : 1;
  }

  private Mlp trainAlone() throws IOException {
    DigitsData data = DigitsData.load(training.seed());
    return Training.alone(data, training).run(report -> {}).model();
  }
}

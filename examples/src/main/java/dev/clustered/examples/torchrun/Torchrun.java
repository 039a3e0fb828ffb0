// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.examples.console.ClusterReporter;
import dev.clustered.examples.console.PhaseReporter;
import dev.clustered.examples.console.RunPrinter;
import dev.clustered.examples.console.Screen;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/**
 * Trains the classifier with torch on nodes of this machine, and shows what happens as it happens.
 * Not thread-safe.
 */
public final class Torchrun {
  private final TorchrunOptions options;
  private final TorchrunProgram torchrun;
  private final RunPrinter printer;
  private final PrintStream problems;
  private final ClusterReporter reporter;

  Torchrun(
      TorchrunOptions options, TorchrunProgram torchrun, RunPrinter printer, PrintStream problems) {
    this.options = options;
    this.torchrun = torchrun;
    this.printer = printer;
    this.problems = problems;
    this.reporter = new ClusterReporter(printer, problems);
  }

  /** Runs the example and ends this JVM, with code 0 only if all learned what they should. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    System.exit(start(List.of(arguments)));
  }

  private static int start(List<String> arguments) throws IOException, InterruptedException {
    try {
      TorchrunOptions options = TorchrunOptions.parse(arguments, System.getProperties());
      TorchrunProgram torchrun = TorchrunProgram.find(System.getenv());
      RunPrinter printer = new RunPrinter(System.out, Screen.detect(), options.epochs());
      return new Torchrun(options, torchrun, printer, System.err).run();
    } catch (IllegalArgumentException | ClusterException failure) {
      System.err.println(failure.getMessage());
      return 1;
    }
  }

  /** Runs the example; returns the exit code of the program. */
  int run() throws IOException, InterruptedException {
    try (Cluster cluster =
        Clusters.launch(TorchrunJob.specification(options, torchrun))
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

  private int showResults(Cluster cluster) throws InterruptedException {
    TorchrunCheck check = TorchrunCheck.of(cluster.results(NodeResult.class), options);
    for (ProcessResult process : check.processes()) {
      printer.trained("process " + process.processRank(), process.took());
    }
    reporter.usage(cluster);
    if (check.fingerprints().size() == 1) {
      printer.finding(
          "compared",
          "the models of all %d processes are equal, SHA-256 %s"
              .formatted(check.processes().size(), check.fingerprints().getFirst()));
    }
    printer.done(check.accuracy());
    check.problems().forEach(problems::println);
    return check.problems().isEmpty() ? 0 : 1;
  }
}

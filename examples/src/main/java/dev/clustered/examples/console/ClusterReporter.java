// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import dev.clustered.Cluster;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.RankExit;
import dev.clustered.model.Usage;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Shows what a cluster has to say for itself: the epochs of rank 0, the usage, and why it failed.
 * Immutable and thread-safe.
 */
public final class ClusterReporter {
  private final RunPrinter printer;
  private final PrintStream problems;

  /** Shows what happens on the printer, and what went wrong on the other stream. */
  public ClusterReporter(RunPrinter printer, PrintStream problems) {
    this.printer = printer;
    this.problems = problems;
  }

  /** Shows every epoch that rank 0 tells of by an {@link EpochLine}, until the ranks have ended. */
  public void epochs(Cluster cluster) throws IOException {
    try (LogStream log = cluster.logs(LogQuery.ofRank(0).following())) {
      log.lines().forEach(line -> EpochLine.parse(line).ifPresent(printer::epoch));
    }
  }

  /** Shows how much node time each phase used so far. */
  public void usage(Cluster cluster) {
    for (Usage.Line line : cluster.usage().lines()) {
      printer.usage(line.phase().name().toLowerCase(Locale.ROOT), line.nodeTime());
    }
  }

  /** Says why there was no success, and what each rank wrote last. */
  public void failure(ClusterExit exit) {
    exit.cause()
        .ifPresentOrElse(
            cause -> problems.println("the cluster failed: " + cause.message()),
            () -> problems.println("the cluster was stopped"));
    for (RankExit rank : exit.ranks()) {
      if (!rank.logTail().isEmpty()) {
        problems.println("rank " + rank.rank() + " wrote last:");
        problems.println(rank.logTail());
      }
    }
  }
}

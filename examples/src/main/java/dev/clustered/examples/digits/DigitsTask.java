// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import dev.clustered.ClusterContext;
import dev.clustered.ClusterTask;
import dev.clustered.examples.console.EpochLine;
import dev.clustered.examples.console.EpochReport;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What every rank runs: its part of the training, with the gradients summed over the ring of all
 * ranks. Rank 0 writes a line for each epoch. Not thread-safe: one object serves one rank.
 */
public final class DigitsTask implements ClusterTask<TrainingOptions, DigitsResult> {
  private static final Duration NEIGHBOUR_LIMIT = Duration.ofSeconds(30);

  @Override
  public DigitsResult run(ClusterContext context, TrainingOptions options) throws IOException {
    DigitsData data = DigitsData.load(options.seed());
    // The port is kept free on the leader's address for this attempt; the other ranks have an
    // address each, on which nobody else listens.
    try (RingAllReduce ring =
        RingAllReduce.connect(
            context.rank(), context.addresses(), context.leaderPort(), NEIGHBOUR_LIMIT)) {
      Training training = new Training(data, options, context.rank(), context.size(), ring);
      TrainingResult result = training.run(report -> tell(context, report));
      return resultOf(context, result);
    }
  }

  private static void tell(ClusterContext context, EpochReport report) {
    if (context.leader()) {
      System.out.println(EpochLine.format(report));
      System.out.flush();
    }
  }

  private static DigitsResult resultOf(ClusterContext context, TrainingResult result) {
    double[] model = result.model().parameters();
    List<Double> parameters = context.leader() ? Arrays.stream(model).boxed().toList() : List.of();
    return new DigitsResult(
        context.rank(),
        result.testAccuracy(),
        result.took(),
        Models.fingerprint(model),
        parameters);
  }
}

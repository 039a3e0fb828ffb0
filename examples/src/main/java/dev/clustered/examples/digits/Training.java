// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import dev.clustered.examples.console.EpochReport;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * One rank's part of a data-parallel training by gradient descent with momentum.
 *
 * <p>Every rank holds the whole model. Of each batch it computes the gradient of its share; the sum
 * over all ranks moves every model by the same step, so the models stay equal bit for bit. Not
 * thread-safe: an object trains once.
 */
final class Training {
  private final DigitsData data;
  private final TrainingOptions options;
  private final int rank;
  private final int ranks;
  private final AllReduce allReduce;
  private final Mlp model;
  private final double[] velocity = new double[Mlp.SIZE];
  // The last element carries the loss, so that one all-reduce sums both.
  private final double[] gradient = new double[Mlp.SIZE + 1];

  Training(DigitsData data, TrainingOptions options, int rank, int ranks, AllReduce allReduce) {
    this.data = data;
    this.options = options;
    this.rank = rank;
    this.ranks = ranks;
    this.allReduce = allReduce;
    this.model = Mlp.initial(options.seed());
  }

  /** A training of one rank that holds all of every batch. */
  static Training alone(DigitsData data, TrainingOptions options) {
    return new Training(data, options, 0, 1, AllReduce.alone());
  }

  /** Trains for all epochs and tells of each one as it ends. */
  TrainingResult run(Consumer<EpochReport> reports) throws IOException {
    long start = System.nanoTime();
    for (int epoch = 1; epoch <= options.epochs(); epoch++) {
      long epochStart = System.nanoTime();
      double loss = epoch(epoch) / data.training().size();
      double accuracy = model.accuracy(data.test());
      reports.accept(new EpochReport(epoch, loss, accuracy, since(epochStart)));
    }
    return new TrainingResult(model, model.accuracy(data.test()), since(start));
  }

  private double epoch(int epoch) throws IOException {
    Samples shuffled = data.training().shuffled(options.seed() + epoch);
    double loss = 0;
    for (int start = 0; start < shuffled.size(); start += options.batchSize()) {
      loss += step(shuffled.slice(start, start + options.batchSize()));
    }
    return loss;
  }

  private double step(Samples batch) throws IOException {
    Arrays.fill(gradient, 0);
    gradient[Mlp.SIZE] = model.addGradient(batch.share(rank, ranks), gradient);
    allReduce.sum(gradient);
    double[] parameters = model.parameters();
    for (int index = 0; index < Mlp.SIZE; index++) {
      velocity[index] = options.momentum() * velocity[index] + gradient[index] / batch.size();
      parameters[index] -= options.learningRate() * velocity[index];
    }
    return gradient[Mlp.SIZE];
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }
}

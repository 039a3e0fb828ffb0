// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.time.Duration;
import java.util.List;

/**
 * What one rank gives back. Immutable and thread-safe.
 *
 * @param testAccuracy the share of test images its model recognises, 0 to 1
 * @param took how long it trained
 * @param fingerprint a text that two ranks share only if their models are equal bit for bit
 * @param parameters the model, from rank 0 alone: one copy is enough where all are equal
 */
public record DigitsResult(
    int rank, double testAccuracy, Duration took, String fingerprint, List<Double> parameters) {

  public DigitsResult {
    parameters = List.copyOf(parameters);
  }

  double[] model() {
    return parameters.stream().mapToDouble(Double::doubleValue).toArray();
  }
}

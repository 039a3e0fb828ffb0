// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether the ranks have learned what they should: to recognise the digits, all the same, and what
 * one rank learns alone. Immutable and thread-safe.
 *
 * @param accuracy the lowest share of test images recognised by any rank, 0 to 1
 * @param difference the largest relative difference from the model of one rank
 * @param equal whether the models of all ranks are equal bit for bit
 */
record DigitsCheck(double accuracy, double difference, boolean equal) {
  private static final double LOWEST_ACCURACY = 0.95;
  // Sums in another order differ by rounding, some 1e-16 each; a wrong gradient by far more.
  private static final double LARGEST_DIFFERENCE = 1e-9;

  /** Compares the results of all ranks, in rank order, with a model trained by one rank. */
  static DigitsCheck of(List<DigitsResult> results, Mlp alone) {
    return new DigitsCheck(
        results.stream().mapToDouble(DigitsResult::testAccuracy).min().orElse(0),
        Models.relativeDifference(results.getFirst().model(), alone.parameters()),
        results.stream().map(DigitsResult::fingerprint).distinct().count() == 1);
  }

  /** A sentence for everything that is not as it should be. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    // Negated, so that a value that is no number is a problem too.
    if (!(accuracy >= LOWEST_ACCURACY)) {
      problems.add(
          "a rank recognises %s of the test images, expected at least %s"
              .formatted(accuracy, LOWEST_ACCURACY));
    }
    if (!(difference <= LARGEST_DIFFERENCE)) {
      problems.add(
          "the model differs from that of one rank by %s, expected at most %s"
              .formatted(difference, LARGEST_DIFFERENCE));
    }
    if (!equal) {
      problems.add("the ranks hold different models");
    }
    return problems;
  }
}

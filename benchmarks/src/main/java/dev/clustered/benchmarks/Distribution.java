// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks;

import java.util.Arrays;
import java.util.Collection;

/** Measured values in order. Immutable. */
public final class Distribution {

  private final double[] sorted;

  private Distribution(double[] sorted) {
    this.sorted = sorted;
  }

  /**
   * The distribution of values.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static Distribution of(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("a distribution needs at least one value");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return new Distribution(sorted);
  }

  /** The value of which half are no larger. */
  public double median() {
    return percentile(50);
  }

  /**
   * The smallest value that so many of a hundred do not exceed.
   *
   * @param percent above 0, up to 100
   */
  public double percentile(double percent) {
    int rank = (int) Math.ceil(percent / 100 * sorted.length);
    return sorted[Math.clamp(rank, 1, sorted.length) - 1];
  }

  /** The spread as text: the least, the quartiles and the largest value, and how many there are. */
  public String spread() {
    return "%.3g..%.3g, quartiles %.3g..%.3g, n=%d"
        .formatted(
            sorted[0], sorted[sorted.length - 1], percentile(25), percentile(75), sorted.length);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

/** Comparisons of trained models. Stateless. */
final class Models {
  private Models() {}

  /**
   * The largest difference between two parameters in the same place, relative to the largest
   * parameter of the second model. Models of different sizes differ infinitely.
   */
  static double relativeDifference(double[] model, double[] reference) {
    if (model.length != reference.length) {
      return Double.POSITIVE_INFINITY;
    }
    double difference = 0;
    double largest = 0;
    for (int index = 0; index < reference.length; index++) {
      difference = Math.max(difference, Math.abs(model[index] - reference[index]));
      largest = Math.max(largest, Math.abs(reference[index]));
    }
    return difference / largest;
  }
}

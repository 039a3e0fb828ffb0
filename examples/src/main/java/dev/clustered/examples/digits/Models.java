// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

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

  /** A short text that two models share only if they are equal bit for bit. */
  static String fingerprint(double[] model) {
    ByteBuffer bytes = ByteBuffer.allocate(model.length * Double.BYTES);
    bytes.asDoubleBuffer().put(model);
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }
}

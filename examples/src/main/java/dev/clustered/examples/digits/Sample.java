// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

/** One image, its pixels scaled to 0..1, and the digit it shows. Immutable by convention. */
final class Sample {
  private final double[] pixels;
  private final int digit;

  Sample(double[] pixels, int digit) {
    this.pixels = pixels;
    this.digit = digit;
  }

  /** The pixels row by row; shared, not to be written. */
  double[] pixels() {
    return pixels;
  }

  int digit() {
    return digit;
  }
}

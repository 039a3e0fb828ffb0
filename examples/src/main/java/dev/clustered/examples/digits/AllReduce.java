// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.io.IOException;

/** Sums one array over all ranks of a training. */
@FunctionalInterface
interface AllReduce {

  /** The all-reduce of a training of one rank: its values are the sum already. */
  static AllReduce alone() {
    return values -> {};
  }

  /**
   * Replaces the values on every rank by their sum over all ranks, bit for bit the same everywhere.
   * All ranks call it the same number of times, with arrays of the same length.
   */
  void sum(double[] values) throws IOException;
}

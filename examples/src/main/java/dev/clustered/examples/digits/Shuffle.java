// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.util.Random;

/** Random orders that depend on nothing but the seed. Stateless. */
final class Shuffle {
  private Shuffle() {}

  /** The numbers 0 to size - 1 in an order drawn from the given source. */
  static int[] order(int size, Random random) {
    int[] order = new int[size];
    for (int index = 0; index < size; index++) {
      int other = random.nextInt(index + 1);
      order[index] = order[other];
      order[other] = index;
    }
    return order;
  }
}

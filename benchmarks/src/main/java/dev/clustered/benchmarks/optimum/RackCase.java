// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.optimum;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Racks with free nodes, and gangs of whole nodes that all wait since the same moment with the same
 * priority and the same time limit, and of which each wants one rack. Immutable.
 *
 * @param racks how many nodes are free in each rack
 * @param gangs how many nodes each gang asks for, in the order of arrival
 */
record RackCase(List<Integer> racks, List<Integer> gangs) {

  private static final int MOST_RACKS = 16;
  private static final int MOST_GANGS = 60;
  private static final int MOST_NODES_OF_A_RACK = 32;

  RackCase {
    racks = List.copyOf(racks);
    gangs = List.copyOf(gangs);
  }

  /**
   * A drawn case: 2 to 16 racks of which each has 4 to 32 nodes free, and at most 60 gangs that ask
   * for 0.9 to 1.4 times what is free. Half of the gangs have a power of two of nodes, the others
   * any number up to the largest rack's.
   */
  static RackCase drawn(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> racks = new ArrayList<>();
    int free = 0;
    int largest = 0;
    for (int rack = random.nextInt(2, MOST_RACKS + 1); rack > 0; rack--) {
      int nodes = random.nextInt(4, MOST_NODES_OF_A_RACK + 1);
      racks.add(nodes);
      free += nodes;
      largest = Math.max(largest, nodes);
    }
    double wanted = free * random.nextDouble(0.9, 1.4);
    List<Integer> gangs = new ArrayList<>();
    for (int asked = 0; asked < wanted && gangs.size() < MOST_GANGS; ) {
      int nodes = random.nextBoolean() ? 1 << random.nextInt(5) : random.nextInt(1, largest + 1);
      gangs.add(nodes);
      asked += nodes;
    }
    return new RackCase(racks, gangs);
  }

  int free() {
    return racks.stream().mapToInt(Integer::intValue).sum();
  }
}

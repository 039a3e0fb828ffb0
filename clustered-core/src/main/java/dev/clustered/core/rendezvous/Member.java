// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import java.util.List;

/**
 * A rank's node.
 *
 * @param address a literal without brackets
 * @param gpus the indices of the GPUs that the rank may use
 * @param nodeGpus GPUs that the whole node has
 */
public record Member(String address, List<Integer> gpus, int nodeGpus) {

  public Member {
    gpus = List.copyOf(gpus);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import java.util.List;

/**
 * A rank's node as the contract sees it. Immutable and thread-safe.
 *
 * @param address an address literal without brackets
 * @param gpus the indices of the GPUs that the rank may use
 * @param nodeGpus GPUs that the whole node has
 */
public record Member(String address, List<Integer> gpus, int nodeGpus) {

  public Member {
    gpus = List.copyOf(gpus);
    if (address.isEmpty() || address.indexOf(',') >= 0 || address.indexOf('[') >= 0) {
      throw new IllegalArgumentException(
          "an address is one literal without brackets; received: \"" + address + "\"");
    }
  }

  /** Whether the rank has all GPUs of its node, of which there may be none. */
  boolean wholeNode() {
    return gpus.size() >= nodeGpus;
  }

  /** How many processes it starts when nothing else is said: one for each GPU. */
  int processes() {
    return Math.max(1, gpus.size());
  }
}

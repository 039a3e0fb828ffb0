// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.List;

/**
 * One machine of a cluster. Immutable and thread-safe.
 *
 * @param id the node's identity
 * @param rank its place in the cluster, 0 to size − 1; rank 0 is the leader
 * @param address the address at which the other ranks reach it, in its textual form without
 *     brackets
 * @param backend the backend that holds it
 * @param shape its machine type
 * @param topology where it is
 * @param gpus the indices of the GPUs that the rank may use
 */
public record Node(
    NodeId id,
    int rank,
    String address,
    String backend,
    Shape shape,
    TopologyPath topology,
    List<Integer> gpus) {

  public Node {
    gpus = List.copyOf(gpus);
  }
}

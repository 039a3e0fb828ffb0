// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

/**
 * What a backend, or the runtime of a node, may be able to do; what it cannot it refuses with a
 * clear message.
 */
public enum Feature {
  /** Nodes on one RDMA fabric. */
  RDMA,
  /** RDMA is only pretended; it is reported as simulated. */
  SIMULATED_RDMA,
  /** Directories of this machine as volumes. */
  HOST_VOLUMES,
  /** Java tasks: nodes see the class path of the host program. */
  HOST_CLASS_PATH,
  /** Nodes run on when the host program is gone, and another one finds them again. */
  OUTLIVING_NODES,
  /** Of a runtime: commands beside a workload. */
  EXEC
}

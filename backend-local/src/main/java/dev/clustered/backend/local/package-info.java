// SPDX-License-Identifier: Apache-2.0

/**
 * Nodes on this machine: each has a loopback address, a directory and an agent of its own. RDMA is
 * simulated and reported as such.
 *
 * <p>Read in this order: {@link dev.clustered.backend.local.LocalBackendFactory} (settings), {@code
 * LocalCapacity} (launch, list, terminate), {@code LocalNode} (one node).
 */
package dev.clustered.backend.local;

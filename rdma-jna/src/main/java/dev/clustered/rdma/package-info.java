// SPDX-License-Identifier: Apache-2.0

/** libibverbs through JNA: discovery, health, pair tests and a small transport. */
package dev.clustered.rdma;

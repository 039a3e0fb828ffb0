// SPDX-License-Identifier: Apache-2.0

/**
 * What the GPUs of a node do, as the driver's library says where there is one. {@link
 * dev.clustered.agent.gpu.GpuProbe} is the way in.
 */
package dev.clustered.agent.gpu;

// SPDX-License-Identifier: Apache-2.0

/**
 * Nodes that are processes on this machine. Read {@link LocalBackendFactory}, then {@code
 * LocalCapacity}, which is the backend proper; {@code LocalNode} is one instance from its boot to
 * its end.
 */
package dev.clustered.backend.local;

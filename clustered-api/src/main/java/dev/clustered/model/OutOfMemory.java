// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.Optional;

/**
 * The kernel of a node killed a process of a rank because its memory was used up. Immutable and
 * thread-safe.
 *
 * @param peak the most memory that all processes of the rank used at a time; empty where the kernel
 *     does not tell
 */
public record OutOfMemory(Optional<ByteSize> peak) {}

// SPDX-License-Identifier: Apache-2.0

/**
 * Jobs replayed in virtual time: over the planner alone, and over plain rules of batch systems
 * beside it.
 */
@NullMarked
package dev.clustered.benchmarks.replay;

import org.jspecify.annotations.NullMarked;

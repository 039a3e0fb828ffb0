// SPDX-License-Identifier: Apache-2.0

/** The suite {@code launch}: what a cluster on this machine costs in time, processor and memory. */
@NullMarked
package dev.clustered.benchmarks.launch;

import org.jspecify.annotations.NullMarked;

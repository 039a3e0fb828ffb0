// SPDX-License-Identifier: Apache-2.0

/** The suite {@code running}: what it costs when ranks fail, come back and are ended. */
@NullMarked
package dev.clustered.benchmarks.running;

import org.jspecify.annotations.NullMarked;

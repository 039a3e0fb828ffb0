// SPDX-License-Identifier: Apache-2.0

/** Runs suites of measurements, ours and a peer's interleaved, and reports them. */
@NullMarked
package dev.clustered.benchmarks;

import org.jspecify.annotations.NullMarked;

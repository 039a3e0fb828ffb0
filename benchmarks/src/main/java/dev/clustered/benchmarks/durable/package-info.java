// SPDX-License-Identifier: Apache-2.0

/** The suite {@code durable}: what it costs to keep the journal. */
@NullMarked
package dev.clustered.benchmarks.durable;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0

/** What the planner places, beside the most that could be placed. */
@NullMarked
package dev.clustered.benchmarks.optimum;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0

/** The suite {@code plan}: what the planner costs on pools of thousands of nodes. */
@NullMarked
package dev.clustered.benchmarks.plan;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0

/**
 * A backend whose nodes are real agents with the real protocol and no workloads, many in one other
 * JVM: for what an engine spends on its agents.
 */
@NullMarked
package dev.clustered.benchmarks.swarm;

import org.jspecify.annotations.NullMarked;

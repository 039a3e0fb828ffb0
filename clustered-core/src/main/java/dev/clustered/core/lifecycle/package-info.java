// SPDX-License-Identifier: Apache-2.0

/**
 * The life of one cluster and of one node, as pure functions: (state, fact) → (state, commands).
 *
 * <p>Every change of the engine's state is a {@link dev.clustered.core.lifecycle.Fact}. Facts are
 * journaled before anything is done about them, and applying the same facts in the same order gives
 * the same state.
 */
package dev.clustered.core.lifecycle;

// SPDX-License-Identifier: Apache-2.0

/** How the engine's facts are written down, and who may read what is secret of them. */
@org.jspecify.annotations.NullMarked
package dev.clustered.core.engine.journal;

// SPDX-License-Identifier: Apache-2.0

/** Findings → faults → verdict → next repair step, as pure functions. */
package dev.clustered.core.health;

// SPDX-License-Identifier: Apache-2.0

/** What was used, by node, phase and second: a fold over what happened, as pure functions. */
package dev.clustered.core.ledger;

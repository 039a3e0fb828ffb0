// SPDX-License-Identifier: Apache-2.0

/** Rank order, addresses and the environment that each rank gets, as pure functions. */
package dev.clustered.core.rendezvous;

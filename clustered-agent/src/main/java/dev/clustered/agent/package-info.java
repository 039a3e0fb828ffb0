// SPDX-License-Identifier: Apache-2.0

/** The program on a node: keeps what runs there as the engine wants it. */
package dev.clustered.agent;

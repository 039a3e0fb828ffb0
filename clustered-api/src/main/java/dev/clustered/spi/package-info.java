// SPDX-License-Identifier: Apache-2.0

/** What a backend, a node runtime or a state store implements. */
package dev.clustered.spi;

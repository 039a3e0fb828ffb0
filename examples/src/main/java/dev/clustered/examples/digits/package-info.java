// SPDX-License-Identifier: Apache-2.0

/**
 * Four nodes train one classifier of handwritten digits, data-parallel: every rank computes the
 * gradient of its share of a batch, and a ring all-reduce over the ranks' own addresses sums them.
 */
@NullMarked
package dev.clustered.examples.digits;

import org.jspecify.annotations.NullMarked;

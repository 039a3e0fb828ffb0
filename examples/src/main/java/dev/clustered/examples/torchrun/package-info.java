// SPDX-License-Identifier: Apache-2.0

/**
 * Two nodes with two processes each train one classifier of handwritten digits with torch: every
 * node runs {@code torchrun}, which learns from the contract's variables alone where the others
 * are.
 */
@NullMarked
package dev.clustered.examples.torchrun;

import org.jspecify.annotations.NullMarked;

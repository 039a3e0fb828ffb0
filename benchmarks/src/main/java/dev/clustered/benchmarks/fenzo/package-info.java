// SPDX-License-Identifier: Apache-2.0

/** Fenzo, the other scheduler that can be a library of a Java program, on the same hosts. */
@NullMarked
package dev.clustered.benchmarks.fenzo;

import org.jspecify.annotations.NullMarked;

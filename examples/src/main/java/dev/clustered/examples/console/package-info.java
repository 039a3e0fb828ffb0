// SPDX-License-Identifier: Apache-2.0

/** What the examples share: their options, and how they show people what a cluster does. */
@NullMarked
package dev.clustered.examples.console;

import org.jspecify.annotations.NullMarked;

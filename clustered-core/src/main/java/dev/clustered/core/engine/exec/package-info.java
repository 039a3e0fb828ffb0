// SPDX-License-Identifier: Apache-2.0

/** The engine's ends of the streams of commands beside ranks. */
package dev.clustered.core.engine.exec;

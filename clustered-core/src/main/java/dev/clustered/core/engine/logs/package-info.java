// SPDX-License-Identifier: Apache-2.0

/** The logs of ranks as files: stored by offset, read raw or merged, live or to their end. */
package dev.clustered.core.engine.logs;

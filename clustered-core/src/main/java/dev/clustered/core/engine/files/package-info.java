// SPDX-License-Identifier: Apache-2.0

/** The user's files: read once when a launch is made, sent from where they are. */
@org.jspecify.annotations.NullMarked
package dev.clustered.core.engine.files;

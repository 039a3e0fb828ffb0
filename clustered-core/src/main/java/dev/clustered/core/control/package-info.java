// SPDX-License-Identifier: Apache-2.0

/** The HTTPS endpoint that agents dial. Knows the protocol and nothing of the engine's state. */
package dev.clustered.core.control;

// SPDX-License-Identifier: Apache-2.0

/** Puts the engine's parts together; the only package that names Guice. */
package dev.clustered.core.wiring;

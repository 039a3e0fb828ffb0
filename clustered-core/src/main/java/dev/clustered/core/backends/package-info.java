// SPDX-License-Identifier: Apache-2.0

/** Finds backends, checks their settings and guards every call of them. */
package dev.clustered.core.backends;

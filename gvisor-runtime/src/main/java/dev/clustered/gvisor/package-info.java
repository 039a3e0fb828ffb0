// SPDX-License-Identifier: Apache-2.0

/** A node runtime that starts the workload under runsc. */
package dev.clustered.gvisor;

// SPDX-License-Identifier: Apache-2.0

/** Compute Engine instances with GPUDirect and RoCE networks as nodes. */
package dev.clustered.backend.gcp;

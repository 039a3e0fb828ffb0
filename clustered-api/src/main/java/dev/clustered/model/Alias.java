// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/** Other systems whose variables a rank gets beside the contract, so that old scripts run. */
public enum Alias {
  /** {@code SKYPILOT_*} of SkyPilot. */
  SKYPILOT,
  /** {@code DSTACK_*} of dstack. */
  DSTACK,
  /** {@code SLURM_*} as Slurm gives them to one task on each node. */
  SLURM
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * Whose success is the cluster's. Ranks of roles that run until the others end are not asked for
 * theirs. When it is decided, ranks that still run are ended as by a stop. A rank that cannot start
 * and a node that is lost fail the cluster under every policy.
 */
public enum SuccessPolicy {
  /** Every rank's; the first that fails, of whatever role, ends the cluster. */
  ALL_RANKS,
  /** That of rank 0: its end is the cluster's, and how others end does not matter. */
  LEADER,
  /** That of the first rank to succeed; the cluster fails when the last one has failed. */
  ANY_RANK
}

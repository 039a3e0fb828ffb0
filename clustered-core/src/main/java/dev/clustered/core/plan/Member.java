// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

/**
 * A rank of a gang that has its nodes. Immutable and thread-safe.
 *
 * @param rank 0 or more
 * @param role the name of its role
 * @param at what it holds
 * @param leaving whether it was told to go already, because the gang shrinks
 */
public record Member(int rank, String role, Holding at, boolean leaving) {

  public Member {
    if (rank < 0) {
      throw new IllegalArgumentException("a rank is 0 or more; received: " + rank);
    }
  }

  /** A rank that stays. */
  public Member(int rank, String role, Holding at) {
    this(rank, role, at, false);
  }
}

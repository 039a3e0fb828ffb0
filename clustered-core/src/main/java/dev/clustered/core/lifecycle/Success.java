// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.ProcessEnd;

/** What the end of one rank says of its cluster, by the success policy. Stateless. */
final class Success {

  private Success() {}

  /** Whether the cluster has succeeded, whoever still runs. */
  static boolean decidedBy(ClusterLife life, int rank, ProcessEnd end) {
    return end.success()
        && switch (life.request().spec().successPolicy()) {
          case ALL_RANKS -> false;
          case LEADER -> rank == 0;
          case ANY_RANK -> true;
        };
  }

  /** Why the cluster has succeeded. */
  static String inWords(ClusterLife life) {
    return switch (life.request().spec().successPolicy()) {
      case ALL_RANKS -> "every rank succeeded";
      case LEADER -> "rank 0 succeeded";
      case ANY_RANK -> "a rank succeeded";
    };
  }

  /** Whether the attempt has failed; the rank is known to have ended. */
  static boolean failedBy(ClusterLife life, int rank, ProcessEnd end) {
    return !end.success()
        && switch (life.request().spec().successPolicy()) {
          case ALL_RANKS -> true;
          case LEADER -> rank == 0;
          case ANY_RANK -> life.all(Progress.EXITED);
        };
  }
}

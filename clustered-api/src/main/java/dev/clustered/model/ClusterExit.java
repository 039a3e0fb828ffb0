// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.List;
import java.util.Optional;

/**
 * How a cluster ended: one outcome, one first cause, and every rank's end. Immutable and
 * thread-safe.
 *
 * @param cluster the cluster
 * @param attempt the attempt that ended it; zero when none began
 * @param outcome the verdict
 * @param cause what ended it, judged by the ends and logs of all ranks; empty on success
 * @param ranks every rank's end in rank order; empty when no attempt began
 */
public record ClusterExit(
    ClusterId cluster, int attempt, Outcome outcome, Optional<Cause> cause, List<RankExit> ranks) {

  /** The verdict over a cluster. */
  public enum Outcome {
    /**
     * The success policy is satisfied: unless said, every rank ended with code 0 whose role ends by
     * itself.
     */
    SUCCEEDED,
    /** Something failed; the cause says what came first. */
    FAILED,
    /** It was cancelled, stopped or closed before it ended by itself. */
    STOPPED
  }

  public ClusterExit {
    ranks = List.copyOf(ranks);
  }

  /** Whether the outcome is {@link Outcome#SUCCEEDED}. */
  public boolean success() {
    return outcome == Outcome.SUCCEEDED;
  }

  /**
   * The exit code of a program that stands for the cluster: 0 on success, the culprit's own code,
   * 128 + signal for a signal as shells do, 1 for everything else.
   */
  public int exitCode() {
    if (success()) {
      return 0;
    }
    return cause.flatMap(Cause::end).map(ClusterExit::shellCode).orElse(1);
  }

  private static int shellCode(ProcessEnd end) {
    return switch (end) {
      case ProcessEnd.Code ended -> ended.code() == 0 ? 1 : ended.code();
      case ProcessEnd.Signal ended -> 128 + ended.signal();
      case ProcessEnd.NotStarted notStarted -> notStarted.code();
      case ProcessEnd.Unknown unknown -> 1;
    };
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Something that happened to a cluster, with its time by the engine's clock. */
public sealed interface ClusterEvent {

  /** The cluster it happened to. */
  ClusterId cluster();

  /** When the engine knew it. */
  Instant at();

  /** The cluster came into a state. */
  record StateChanged(ClusterId cluster, Instant at, ClusterState state, String detail)
      implements ClusterEvent {}

  /** The reasons why it waits changed. */
  record Waiting(ClusterId cluster, Instant at, List<WaitReason> reasons) implements ClusterEvent {}

  /** A node's agent reported for the first time. */
  record NodeReady(ClusterId cluster, Instant at, NodeId node, int readyNodes, int size)
      implements ClusterEvent {}

  /**
   * More of the files sent has come to a rank's node: told when it is known how much is missing
   * there, about every second, and when all has come.
   *
   * @param received what has come
   * @param wanted what was missing
   */
  record FilesReceived(
      ClusterId cluster, Instant at, int attempt, int rank, ByteSize received, ByteSize wanted)
      implements ClusterEvent {}

  /**
   * A rank's process began. Not told of one that has ended before the engine heard of its start;
   * {@link RankEnded} is.
   */
  record RankStarted(ClusterId cluster, Instant at, int attempt, int rank, long processId)
      implements ClusterEvent {}

  /** A rank's process ended. */
  record RankEnded(
      ClusterId cluster, Instant at, int attempt, int rank, ProcessEnd end, RankExit.EndedBy by)
      implements ClusterEvent {}

  /**
   * A rank failed, and the restart policy has another attempt follow: all ranks are ended now.
   *
   * @param attempt the one that failed
   * @param cause what is known of it now
   * @param pause the wait before the next attempt, when nothing of this one runs any more
   */
  record AttemptFailed(ClusterId cluster, Instant at, int attempt, Cause cause, Duration pause)
      implements ClusterEvent {}

  /**
   * A spare came back in the place of one that was used or lost, or one of those at the beginning
   * has booted.
   *
   * @param readySpares how many there are now to replace lost nodes at once
   */
  record SpareReady(ClusterId cluster, Instant at, NodeId node, int readySpares)
      implements ClusterEvent {}

  /** An end to come was announced; every rank is told the same. */
  record Noticed(ClusterId cluster, Instant at, ClusterNotice notice) implements ClusterEvent {}

  /**
   * It is decided that the cluster ends; what follows only cleans up.
   *
   * @param cause what had been heard of by then. The {@link ClusterExit} may name another, once
   *     every rank's end and log are known: a victim is often heard of before its culprit.
   */
  record Verdict(
      ClusterId cluster, Instant at, ClusterExit.Outcome outcome, java.util.Optional<Cause> cause)
      implements ClusterEvent {}
}

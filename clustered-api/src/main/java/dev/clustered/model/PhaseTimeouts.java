// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Duration;
import java.util.Optional;

/**
 * How long each phase of a cluster may take; one that takes longer fails it with {@link
 * ErrorCode#PHASE_TIMEOUT}, whose message names the phase, the limit and the ranks that were late.
 * How long the workload may run is {@link ClusterSpec#timeLimit}. Immutable and thread-safe.
 *
 * @param queue from the launch, or from its place in the queue, until it has nodes; no limit when
 *     empty
 * @param boot until every node's agent has reported; no limit when empty, beyond what the engine
 *     grants each node by its offer's boot time
 * @param prepare until every rank has its directory, files and volumes, in each attempt
 * @param join until every rank has passed the start barrier and its process runs, in each attempt
 * @param drain how much longer than the grace it may take until nothing of a rank is left; then its
 *     node counts as lost, since a process that cannot be killed holds what it has
 */
public record PhaseTimeouts(
    Optional<Duration> queue,
    Optional<Duration> boot,
    Duration prepare,
    Duration join,
    Duration drain) {

  /**
   * No limit for queue and boot, an hour to prepare, which may be a large transfer, ten minutes to
   * join, as torchrun gives its workers, and a minute to drain.
   */
  public static final PhaseTimeouts DEFAULT =
      new PhaseTimeouts(
          Optional.empty(),
          Optional.empty(),
          Duration.ofHours(1),
          Duration.ofMinutes(10),
          Duration.ofMinutes(1));

  /** The same with a limit for the queue. */
  public PhaseTimeouts withQueue(Duration limit) {
    return new PhaseTimeouts(Optional.of(limit), boot, prepare, join, drain);
  }

  /** The same with a limit for boot. */
  public PhaseTimeouts withBoot(Duration limit) {
    return new PhaseTimeouts(queue, Optional.of(limit), prepare, join, drain);
  }

  /** The same with another limit to prepare. */
  public PhaseTimeouts withPrepare(Duration limit) {
    return new PhaseTimeouts(queue, boot, limit, join, drain);
  }

  /** The same with another limit to join. */
  public PhaseTimeouts withJoin(Duration limit) {
    return new PhaseTimeouts(queue, boot, prepare, limit, drain);
  }

  /** The same with another limit to drain. */
  public PhaseTimeouts withDrain(Duration limit) {
    return new PhaseTimeouts(queue, boot, prepare, join, limit);
  }
}

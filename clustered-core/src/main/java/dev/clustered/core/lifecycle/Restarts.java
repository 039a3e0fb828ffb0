// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RestartPolicy;
import java.time.Duration;
import java.util.Optional;

/** Whether another attempt follows one in which a rank failed, and after which pause. Stateless. */
final class Restarts {

  /** Doubling ends here: from a nanosecond on, the longest of a day is reached by then. */
  private static final int MOST_DOUBLINGS = 47;

  private Restarts() {}

  /**
   * The pause before the next attempt.
   *
   * @param end how the rank ended that failed
   * @return empty when none follows
   */
  static Optional<Duration> pause(ClusterLife life, ProcessEnd end) {
    RestartPolicy policy = life.request().spec().restartPolicy();
    boolean never = end instanceof ProcessEnd.Code ended && policy.never().contains(ended.code());
    boolean nodesAreThere = life.ranks().stream().noneMatch(RankLife::nodeLost);
    boolean left = always(policy, end) || life.tries().counted() < policy.restarts();
    return !never && nodesAreThere && left ? Optional.of(pause(life, policy)) : Optional.empty();
  }

  /** Whether a restart after such an end counts. */
  static boolean counts(ClusterLife life, ProcessEnd end) {
    return !always(life.request().spec().restartPolicy(), end);
  }

  private static boolean always(RestartPolicy policy, ProcessEnd end) {
    return end instanceof ProcessEnd.Code ended && policy.always().contains(ended.code());
  }

  private static Duration pause(ClusterLife life, RestartPolicy policy) {
    Duration pause = policy.pause();
    for (int n = 1; n < life.attempt() && n <= MOST_DOUBLINGS; n++) {
      pause = pause.compareTo(policy.longestPause()) < 0 ? pause.multipliedBy(2) : pause;
    }
    Duration bounded = pause.compareTo(policy.longestPause()) < 0 ? pause : policy.longestPause();
    long nanos = bounded.toNanos();
    return Duration.ofNanos(nanos - nanos / 4 + (long) (nanos / 2.0 * spread(life)));
  }

  /** A number from 0 to 1 that looks random and is the same after every replay of the journal. */
  private static double spread(ClusterLife life) {
    long mixed = life.request().cluster().value().hashCode() * 31L + life.attempt();
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return ((mixed ^ (mixed >>> 31)) >>> 11) / (double) (1L << 53);
  }
}

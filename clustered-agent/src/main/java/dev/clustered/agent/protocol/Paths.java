// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.ClusterId;

/**
 * The control endpoint's paths. All take POST but {@link #work}, which takes GET; all but {@link
 * #JOIN} need {@code Authorization: Bearer} with the node's session secret and {@link #NODE}.
 */
public final class Paths {

  /** {@link JoinRequest} → {@link JoinReply}. */
  public static final String JOIN = "/v1/join";

  /**
   * {@code {"generation": n}} → {@link DesiredState} as soon as its generation is above n; 204 when
   * the time is over. Renews the lease.
   */
  public static final String POLL = "/v1/poll";

  /** {@link ObservedState} → 204. */
  public static final String OBSERVED = "/v1/observed";

  /** Before {@code /cluster/attempt/rank?offset=n}. */
  public static final String LOGS = "/v1/logs";

  /** Before {@code /cluster/attempt}. */
  public static final String WORK = "/v1/work";

  /** The header that names the node. */
  public static final String NODE = "Clustered-Node";

  private Paths() {}

  /** Raw bytes at an offset → {@code {"stored": n}}, the bytes the engine has from the start. */
  public static String logs(ClusterId cluster, int attempt, int rank, long offset) {
    return LOGS + "/" + cluster + "/" + attempt + "/" + rank + "?offset=" + offset;
  }

  /** The {@link WorkDocument} of an attempt. */
  public static String work(ClusterId cluster, int attempt) {
    return WORK + "/" + cluster + "/" + attempt;
  }

  /** The body of a poll. */
  public record Poll(long generation) {}

  /** The answer to logs. */
  public record Stored(long stored) {}
}

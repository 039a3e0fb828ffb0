// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Duration;
import java.util.Optional;

/**
 * When a running workload counts as hung; it then ends with {@link ErrorCode#HUNG}, after the
 * stacks of its processes were written to the logs, and is restarted where the restart policy says
 * so. All ranks are judged together, but for those of roles that run until the others end, which
 * may well wait in silence: of them only a heartbeat is looked at. Immutable and thread-safe.
 *
 * @param silent how long no rank writes to its log and one of them uses less than a hundredth of a
 *     core; longer than anything that the workload does without a line, such as a checkpoint or a
 *     long computation on a GPU. A rank's heartbeat counts as a line
 * @param heartbeat how old the heartbeat of a rank may become once it gave a first one; not looked
 *     at when empty
 */
public record HangPolicy(Duration silent, Optional<Duration> heartbeat) {

  /** Hung when nothing happened for so long; more than zero. */
  public static HangPolicy silentFor(Duration limit) {
    return new HangPolicy(limit, Optional.empty());
  }

  /** The same, and hung when the heartbeat of any rank is older than this, more than zero. */
  public HangPolicy withHeartbeat(Duration limit) {
    return new HangPolicy(silent, Optional.of(limit));
  }
}

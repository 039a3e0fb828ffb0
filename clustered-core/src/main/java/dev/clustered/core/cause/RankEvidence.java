// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import dev.clustered.model.NodeId;
import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known of one rank's end. Immutable and thread-safe.
 *
 * @param rank the rank
 * @param node the node it was on
 * @param end how its process ended, {@link ProcessEnd.Unknown} when its node was lost; empty when
 *     it never ran
 * @param at when, by the node's clock, which may be hours off
 * @param heard its place in the order in which the engine heard of ends, the first is 0; {@link
 *     #NEVER_HEARD} when nobody told
 * @param by who ended it
 * @param outOfMemory what its node says of a lack of memory
 * @param logTail the end of what it wrote; of a longer text only the end is looked at
 */
public record RankEvidence(
    int rank,
    NodeId node,
    Optional<ProcessEnd> end,
    Optional<Instant> at,
    int heard,
    EndedBy by,
    Optional<OutOfMemory> outOfMemory,
    String logTail) {

  /** Comes after every place in the order. */
  public static final int NEVER_HEARD = Integer.MAX_VALUE;
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Instant;
import java.util.Optional;

/**
 * The end of one rank. Immutable and thread-safe.
 *
 * @param rank the rank
 * @param node the node it was on
 * @param end how its process ended; empty when it never ran
 * @param at when, by the node's clock
 * @param by who ended it
 * @param part what it has to do with the end of the cluster
 * @param logTail the last lines of what it wrote
 * @param result the JSON text of its result; empty when it gave none
 */
public record RankExit(
    int rank,
    NodeId node,
    Optional<ProcessEnd> end,
    Optional<Instant> at,
    EndedBy by,
    Part part,
    String logTail,
    Optional<String> result) {

  /** SIGKILL, which no process can obey. */
  private static final int KILL = 9;

  /** Who ended a rank. */
  public enum EndedBy {
    /** Itself, or something on its node that is not ours. */
    ITSELF,
    /** The engine, because the cluster was stopping. */
    ENGINE
  }

  /** What a rank has to do with the end of its cluster. */
  public enum Part {
    /** It is the one that the cause of the exit names. */
    CULPRIT,
    /** It failed by itself because another had failed. */
    VICTIM,
    /** The engine ended it, because the cluster was ending. */
    STOPPED,
    /** None of these: it ended well by itself, or it never ran. */
    NEITHER
  }

  /**
   * Whether it ended within its grace when the engine told it to, before it was killed; false for
   * one that the engine did not tell, or whose end nobody saw.
   */
  public boolean obeyed() {
    return by == EndedBy.ENGINE
        && end.filter(
                how ->
                    how instanceof ProcessEnd.Code
                        || (how instanceof ProcessEnd.Signal ended && ended.signal() != KILL))
            .isPresent();
  }
}

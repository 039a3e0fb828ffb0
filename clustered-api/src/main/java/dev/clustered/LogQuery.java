// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import java.util.OptionalInt;

/**
 * Which part of a cluster's logs is read, and how. Immutable and thread-safe.
 *
 * @param rank one rank, 0 or more, or all
 * @param attempt the number of an attempt, 1 or more, or the one that runs or has run last
 * @param follow whether the stream waits for more
 * @param lastLines how many lines of the end of each rank's log alone, 0 or more; all when empty
 */
public record LogQuery(
    OptionalInt rank, OptionalInt attempt, Follow follow, OptionalInt lastLines) {

  /** Whether a stream ends where the log ends now. */
  public enum Follow {
    /** It ends with what was written so far. */
    NO,
    /**
     * It waits for more, and ends when the ranks of the attempt that was named have ended; without
     * one it goes on with the next attempt, and ends with the cluster.
     */
    UNTIL_END
  }

  public LogQuery {
    if (rank.isPresent() && rank.getAsInt() < 0) {
      throw new IllegalArgumentException("a rank is 0 or more; received: " + rank.getAsInt());
    }
    if (attempt.isPresent() && attempt.getAsInt() < 1) {
      throw new IllegalArgumentException(
          "an attempt is 1 or more; received: " + attempt.getAsInt());
    }
    if (lastLines.isPresent() && lastLines.getAsInt() < 0) {
      throw new IllegalArgumentException(
          "a tail has 0 lines or more; received: " + lastLines.getAsInt());
    }
  }

  /** All ranks merged by line with the rank in front, as far as written. */
  public static LogQuery all() {
    return new LogQuery(OptionalInt.empty(), OptionalInt.empty(), Follow.NO, OptionalInt.empty());
  }

  /** One rank's bytes as it wrote them. */
  public static LogQuery ofRank(int rank) {
    return new LogQuery(OptionalInt.of(rank), OptionalInt.empty(), Follow.NO, OptionalInt.empty());
  }

  /** The same of one attempt, 1 or more. */
  public LogQuery ofAttempt(int number) {
    return new LogQuery(rank, OptionalInt.of(number), follow, lastLines);
  }

  /**
   * The same, live: until the ranks of the attempt have ended where one is named, else over all
   * attempts to come, until the cluster has ended. Between two attempts the merged view has the
   * line {@code --- attempt 2 ---}; the bytes of one rank have nothing between them.
   */
  public LogQuery following() {
    return new LogQuery(rank, attempt, Follow.UNTIL_END, lastLines);
  }

  /**
   * The same without what was written before the last lines of each rank. A last line without an
   * end counts as one.
   *
   * @param lines 0 or more
   */
  public LogQuery tail(int lines) {
    return new LogQuery(rank, attempt, follow, OptionalInt.of(lines));
  }
}

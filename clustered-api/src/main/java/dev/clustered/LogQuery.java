// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import java.util.OptionalInt;

/**
 * Which part of a cluster's logs is read, and how. Immutable and thread-safe.
 *
 * @param rank one rank, 0 or more, or all
 * @param follow whether the stream waits for more
 */
public record LogQuery(OptionalInt rank, Follow follow) {

  /** Whether a stream ends where the log ends now. */
  public enum Follow {
    /** It ends with what was written so far. */
    NO,
    /** It waits for more and ends when the cluster's ranks have ended. */
    UNTIL_END
  }

  public LogQuery {
    if (rank.isPresent() && rank.getAsInt() < 0) {
      throw new IllegalArgumentException("a rank is 0 or more; received: " + rank.getAsInt());
    }
  }

  /** All ranks merged by line with the rank in front, as far as written. */
  public static LogQuery all() {
    return new LogQuery(OptionalInt.empty(), Follow.NO);
  }

  /** One rank's bytes as it wrote them. */
  public static LogQuery ofRank(int rank) {
    return new LogQuery(OptionalInt.of(rank), Follow.NO);
  }

  /** The same, live until the ranks have ended. */
  public LogQuery following() {
    return new LogQuery(rank, Follow.UNTIL_END);
  }
}

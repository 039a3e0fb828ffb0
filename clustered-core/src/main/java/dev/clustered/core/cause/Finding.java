// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * What the evidence of one rank amounts to.
 *
 * @param rank the evidence
 * @param kind its kind
 * @param clues what the log says
 */
record Finding(RankEvidence rank, Kind kind, LogClues clues) {

  /** Kinds of evidence, the strongest first; the package's documentation gives the reasons. */
  enum Kind {
    NODE_LOST,
    NOT_STARTED,
    OUT_OF_MEMORY,
    SIGNAL,
    EXIT,
    PEER_GONE,
    ENDED_BY_ENGINE,
    /** It did not fail. */
    NONE
  }

  static final Comparator<Finding> STRONGEST_FIRST =
      Comparator.comparing(Finding::kind)
          .thenComparingInt(finding -> finding.rank().heard())
          .thenComparing(finding -> finding.rank().at().orElse(Instant.MAX))
          .thenComparingInt(finding -> finding.rank().rank());

  static Finding of(RankEvidence rank) {
    LogClues clues = LogClues.of(rank.logTail(), rank.rank());
    Kind kind =
        rank.end()
            .filter(end -> !end.success())
            .map(end -> kindOf(rank, end, clues))
            .orElse(Kind.NONE);
    return new Finding(rank, kind, clues);
  }

  private static Kind kindOf(RankEvidence rank, ProcessEnd own, LogClues clues) {
    if (rank.by() == EndedBy.ENGINE) {
      return Kind.ENDED_BY_ENGINE;
    }
    return switch (own) {
      case ProcessEnd.Unknown lost -> Kind.NODE_LOST;
      case ProcessEnd.NotStarted not -> Kind.NOT_STARTED;
      case ProcessEnd.Code code -> ofProcess(rank, code, clues);
      case ProcessEnd.Signal signal -> ofProcess(rank, signal, clues);
    };
  }

  private static Kind ofProcess(RankEvidence rank, ProcessEnd own, LogClues clues) {
    if (rank.outOfMemory().isPresent()) {
      return Kind.OUT_OF_MEMORY;
    }
    Optional<Integer> signal = Signals.of(clues.child().orElse(own));
    if (clues.gone().isPresent() || signal.filter(Signals::peerGone).isPresent()) {
      return Kind.PEER_GONE;
    }
    return signal.isPresent() ? Kind.SIGNAL : Kind.EXIT;
  }

  /** Whether it failed by itself. */
  boolean failed() {
    return kind.compareTo(Kind.ENDED_BY_ENGINE) < 0;
  }
}

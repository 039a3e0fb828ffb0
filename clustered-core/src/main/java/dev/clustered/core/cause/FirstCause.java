// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import dev.clustered.core.cause.Finding.Kind;
import dev.clustered.model.Cause;
import dev.clustered.model.ErrorCode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Finds the one rank that ended all; the package's documentation has the rules. Pure. */
public final class FirstCause {

  private FirstCause() {}

  /**
   * The culprit and its victims.
   *
   * @param ranks what is known of every rank, each rank once, in any order
   */
  public static Judgement of(List<RankEvidence> ranks) {
    List<Finding> suspects =
        ranks.stream()
            .map(Finding::of)
            .filter(finding -> finding.kind() != Kind.NONE)
            .sorted(Finding.STRONGEST_FIRST)
            .toList();
    if (suspects.isEmpty()) {
      return new Judgement(Optional.empty(), List.of());
    }
    Finding culprit = suspects.getFirst();
    List<Finding> others = suspects.subList(1, suspects.size());
    List<Integer> victims =
        others.stream().filter(Finding::failed).map(other -> other.rank().rank()).sorted().toList();
    return new Judgement(Optional.of(cause(culprit, others)), victims);
  }

  private static Cause cause(Finding culprit, List<Finding> others) {
    RankEvidence rank = culprit.rank();
    return new Cause(
        code(culprit.kind()),
        OptionalInt.of(rank.rank()),
        rank.end(),
        Sentences.message(culprit),
        Sentences.evidence(culprit, others));
  }

  private static ErrorCode code(Kind kind) {
    return switch (kind) {
      case NODE_LOST -> ErrorCode.NODE_LOST;
      case NOT_STARTED -> ErrorCode.START_FAILED;
      case OUT_OF_MEMORY -> ErrorCode.OUT_OF_MEMORY;
      case SIGNAL, EXIT, PEER_GONE, ENDED_BY_ENGINE, NONE -> ErrorCode.RANK_FAILED;
    };
  }
}

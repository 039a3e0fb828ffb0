// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import dev.clustered.core.cause.Finding.Kind;
import dev.clustered.model.ProcessEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Says what was seen. There is at most one sentence for each kind of evidence and meaning of a log
 * line, and each names a few ranks, so that the evidence of thousands stays short.
 */
final class Sentences {

  private static final int MOST_NAMED = 8;

  private Sentences() {}

  /** The culprit and its end, for a reader who reads nothing else. */
  static String message(Finding culprit) {
    RankEvidence rank = culprit.rank();
    return switch (rank.end().orElseThrow()) {
      case ProcessEnd.Unknown lost ->
          "node %s of rank %d is lost: %s".formatted(rank.node(), rank.rank(), lost.message());
      case ProcessEnd.NotStarted not ->
          "rank %d could not start (code %d): %s".formatted(rank.rank(), not.code(), not.message());
      case ProcessEnd.Code code -> ended(culprit, code);
      case ProcessEnd.Signal signal -> ended(culprit, signal);
    };
  }

  private static String ended(Finding culprit, ProcessEnd end) {
    RankEvidence rank = culprit.rank();
    String ended = "rank %d ended with %s on node %s".formatted(rank.rank(), end, rank.node());
    return culprit.kind() == Kind.OUT_OF_MEMORY ? ended + ", out of memory" : ended;
  }

  static List<String> evidence(Finding culprit, List<Finding> others) {
    List<String> sentences = new ArrayList<>();
    sentences.add(ofCulprit(culprit));
    Map<String, List<Finding>> alike =
        others.stream()
            .collect(
                Collectors.groupingBy(
                    other -> why(other, culprit), TreeMap::new, Collectors.toList()));
    alike.values().stream()
        .sorted((one, other) -> Finding.STRONGEST_FIRST.compare(one.getFirst(), other.getFirst()))
        .forEach(group -> sentences.add(named(group) + " " + why(group.getFirst(), culprit)));
    return sentences;
  }

  private static String ofCulprit(Finding culprit) {
    RankEvidence rank = culprit.rank();
    String end = "rank %d ended with %s".formatted(rank.rank(), exactly(rank.end().orElseThrow()));
    String seen = culprit.clues().child().map(child -> end + reported(child)).orElse(end);
    return switch (culprit.kind()) {
      case NODE_LOST, NOT_STARTED -> message(culprit);
      case OUT_OF_MEMORY -> end + outOfMemory(rank);
      case SIGNAL -> seen + ", " + Signals.origin(signal(culprit));
      case EXIT, NONE -> seen + " by itself";
      case PEER_GONE -> seen + said(culprit) + "; no rank failed in another way";
      case ENDED_BY_ENGINE -> end + " when the engine ended it; no rank failed by itself";
    };
  }

  private static String outOfMemory(RankEvidence rank) {
    String peak =
        rank.outOfMemory()
            .flatMap(memory -> memory.peak())
            .map(bytes -> "; its memory peaked at " + bytes)
            .orElse("");
    return ", and the kernel of node %s killed a process of it for want of memory%s"
        .formatted(rank.node(), peak);
  }

  private static String reported(ProcessEnd child) {
    return ", and its launcher reports that its own process ended with " + exactly(child);
  }

  private static String said(Finding finding) {
    return finding
        .clues()
        .gone()
        .map(
            pattern ->
                " after the log had told that %s (\"%s\")"
                    .formatted(pattern.meaning(), pattern.words()))
        .orElse(", " + Signals.origin(signal(finding)));
  }

  /** What is said of all ranks alike, after their names. */
  private static String why(Finding other, Finding culprit) {
    if (other.kind() == Kind.ENDED_BY_ENGINE) {
      return "failed when the engine ended the cluster";
    }
    if (other.kind() == Kind.PEER_GONE) {
      return "failed" + said(other);
    }
    if (other.kind() == culprit.kind()) {
      return "failed in the same way, which the engine heard of later";
    }
    return switch (other.kind()) {
      case NODE_LOST -> "lost a node";
      case NOT_STARTED -> "could not start";
      case OUT_OF_MEMORY -> "ran out of memory";
      case SIGNAL -> "ended by a signal, which is weaker evidence";
      case EXIT, PEER_GONE, ENDED_BY_ENGINE, NONE ->
          "ended with an exit code, which is weaker evidence";
    };
  }

  private static int signal(Finding finding) {
    ProcessEnd own = finding.rank().end().orElseThrow();
    return Signals.of(finding.clues().child().orElse(own)).orElse(0);
  }

  private static String exactly(ProcessEnd end) {
    return Signals.of(end).map(Signals::name).orElse(end.toString());
  }

  private static String named(List<Finding> group) {
    String first =
        group.stream()
            .map(finding -> finding.rank().rank())
            .sorted()
            .limit(MOST_NAMED)
            .map(String::valueOf)
            .collect(Collectors.joining(", "));
    String more =
        group.size() > MOST_NAMED ? " and %d more".formatted(group.size() - MOST_NAMED) : "";
    return (group.size() == 1 ? "rank " : "ranks ") + first + more;
  }
}

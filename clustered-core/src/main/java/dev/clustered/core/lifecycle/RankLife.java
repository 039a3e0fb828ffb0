// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.NodeId;
import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One rank of an attempt. Immutable.
 *
 * @param nodeLost whether its node is gone
 */
public record RankLife(
    int rank,
    NodeId node,
    List<Integer> gpus,
    Progress progress,
    Optional<ProcessEnd> end,
    Optional<Instant> endedAt,
    RankExit.EndedBy by,
    Optional<OutOfMemory> outOfMemory,
    Optional<String> result,
    boolean nodeLost) {

  /** How far a rank is; the order matters. */
  public enum Progress {
    ASSIGNED,
    BOOTED,
    PREPARED,
    JOINED,
    RUNNING,
    EXITED,
    FINISHED
  }

  static RankLife assigned(int rank, Fact.Slot slot) {
    return new RankLife(
        rank,
        slot.node(),
        slot.gpus(),
        Progress.ASSIGNED,
        Optional.empty(),
        Optional.empty(),
        RankExit.EndedBy.ITSELF,
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /** Whether it has come at least so far. */
  public boolean reached(Progress least) {
    return progress.compareTo(least) >= 0;
  }

  /** Later progress wins: reports may be repeated or late. */
  RankLife advanced(Progress to) {
    return reached(to)
        ? this
        : new RankLife(rank, node, gpus, to, end, endedAt, by, outOfMemory, result, nodeLost);
  }

  RankLife ended(
      Progress to, Optional<ProcessEnd> how, Optional<Instant> when, RankExit.EndedBy whom) {
    if (reached(to)) {
      return this;
    }
    return new RankLife(
        rank,
        node,
        gpus,
        to,
        end.or(() -> how),
        endedAt.or(() -> when),
        whom,
        outOfMemory,
        result,
        nodeLost);
  }

  RankLife exited(RankReport.Exited report, RankExit.EndedBy whom) {
    RankLife ended =
        ended(Progress.EXITED, Optional.of(report.end()), Optional.of(report.when()), whom);
    return new RankLife(
        rank,
        node,
        gpus,
        ended.progress,
        ended.end,
        ended.endedAt,
        ended.by,
        report.outOfMemory(),
        result,
        nodeLost);
  }

  RankLife withResult(Optional<String> json) {
    return new RankLife(rank, node, gpus, progress, end, endedAt, by, outOfMemory, json, nodeLost);
  }

  /** Its node is gone. */
  RankLife withoutNode() {
    return new RankLife(rank, node, gpus, progress, end, endedAt, by, outOfMemory, result, true);
  }

  /** The same rank at the beginning of another attempt on its node. */
  RankLife again() {
    return assigned(rank, new Fact.Slot(node, gpus)).advanced(Progress.BOOTED);
  }
}

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
 * @param reachedStep how far it said that its workload is
 * @param nodeLost whether its node is gone
 * @param next what it gets of another node in the next attempt, when its own is gone
 * @param still in what it did nothing when that was last told; of one that has ended nothing, when
 *     that was told; empty before
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
    Optional<Long> reachedStep,
    boolean nodeLost,
    Optional<Next> next,
    Optional<Still> still) {

  /** In what a rank did nothing, and when that was told. */
  public record Still(RankReport.Still report, Instant at) {}

  /** A node for the next attempt, and whether its agent has reported. */
  public record Next(Fact.Slot slot, boolean booted) {}

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
        Optional.empty(),
        false,
        Optional.empty(),
        Optional.empty());
  }

  /** Whether it has come at least so far. */
  public boolean reached(Progress least) {
    return progress.compareTo(least) >= 0;
  }

  /** Later progress wins: reports may be repeated or late. */
  RankLife advanced(Progress to) {
    return reached(to)
        ? this
        : new RankLife(
            rank,
            node,
            gpus,
            to,
            end,
            endedAt,
            by,
            outOfMemory,
            result,
            reachedStep,
            nodeLost,
            next,
            still);
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
        reachedStep,
        nodeLost,
        next,
        still);
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
        reachedStep,
        nodeLost,
        next,
        still);
  }

  RankLife withResult(Optional<String> json, Optional<Long> step) {
    return new RankLife(
        rank,
        node,
        gpus,
        progress,
        end,
        endedAt,
        by,
        outOfMemory,
        json,
        step,
        nodeLost,
        next,
        still);
  }

  /** Its agent has told in what it does nothing. */
  RankLife withStill(Still told) {
    return new RankLife(
        rank,
        node,
        gpus,
        progress,
        end,
        endedAt,
        by,
        outOfMemory,
        result,
        reachedStep,
        nodeLost,
        next,
        Optional.of(told));
  }

  /** Its node is gone. */
  RankLife withoutNode() {
    return new RankLife(
        rank,
        node,
        gpus,
        progress,
        end,
        endedAt,
        by,
        outOfMemory,
        result,
        reachedStep,
        true,
        Optional.empty(),
        still);
  }

  /** It gets another node in the next attempt. */
  RankLife goingTo(Next other) {
    return new RankLife(
        rank,
        node,
        gpus,
        progress,
        end,
        endedAt,
        by,
        outOfMemory,
        result,
        reachedStep,
        nodeLost,
        Optional.of(other),
        still);
  }

  /** Whether its node is gone and there is no other yet. */
  public boolean lacksNode() {
    return nodeLost && next.isEmpty();
  }

  /** Where it is once it has moved. */
  public Fact.Slot settled() {
    return next.map(Next::slot).orElse(new Fact.Slot(node, gpus));
  }

  /** The same rank at the beginning of another attempt, on its node or the one that replaces it. */
  RankLife again(int number) {
    RankLife assigned = assigned(number, settled());
    return next.map(Next::booted).orElse(true) ? assigned.advanced(Progress.BOOTED) : assigned;
  }
}

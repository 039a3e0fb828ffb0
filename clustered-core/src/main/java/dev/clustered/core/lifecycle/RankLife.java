// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.NodeId;
import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

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
    return reached(to) ? this : changed(draft -> draft.progress = to);
  }

  RankLife ended(
      Progress to, Optional<ProcessEnd> how, Optional<Instant> when, RankExit.EndedBy whom) {
    if (reached(to)) {
      return this;
    }
    return changed(
        draft -> {
          draft.progress = to;
          draft.end = end.or(() -> how);
          draft.endedAt = endedAt.or(() -> when);
          draft.by = whom;
        });
  }

  RankLife exited(RankReport.Exited report, RankExit.EndedBy whom) {
    return ended(Progress.EXITED, Optional.of(report.end()), Optional.of(report.when()), whom)
        .changed(draft -> draft.outOfMemory = report.outOfMemory());
  }

  RankLife withResult(Optional<String> json, Optional<Long> step) {
    return changed(
        draft -> {
          draft.result = json;
          draft.reachedStep = step;
        });
  }

  /** Its agent has told in what it does nothing. */
  RankLife withStill(Still told) {
    return changed(draft -> draft.still = Optional.of(told));
  }

  /** Its node is gone. */
  RankLife withoutNode() {
    return changed(
        draft -> {
          draft.nodeLost = true;
          draft.next = Optional.empty();
        });
  }

  /** It gets another node in the next attempt. */
  RankLife goingTo(Next other) {
    return changed(draft -> draft.next = Optional.of(other));
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
    return joining(number, next.orElseGet(() -> new Next(settled(), true)));
  }

  /** A rank that an attempt has more than the one before. */
  static RankLife joining(int number, Next more) {
    RankLife assigned = assigned(number, more.slot());
    return more.booted() ? assigned.advanced(Progress.BOOTED) : assigned;
  }

  private RankLife changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.life();
  }

  /** A copy in the making. */
  private static final class Draft {
    private final RankLife was;
    private Progress progress;
    private Optional<ProcessEnd> end;
    private Optional<Instant> endedAt;
    private RankExit.EndedBy by;
    private Optional<OutOfMemory> outOfMemory;
    private Optional<String> result;
    private Optional<Long> reachedStep;
    private boolean nodeLost;
    private Optional<Next> next;
    private Optional<Still> still;

    Draft(RankLife life) {
      was = life;
      progress = life.progress;
      end = life.end;
      endedAt = life.endedAt;
      by = life.by;
      outOfMemory = life.outOfMemory;
      result = life.result;
      reachedStep = life.reachedStep;
      nodeLost = life.nodeLost;
      next = life.next;
      still = life.still;
    }

    RankLife life() {
      return new RankLife(
          was.rank,
          was.node,
          was.gpus,
          progress,
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
  }
}

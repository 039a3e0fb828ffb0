// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterState;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Everything that is known of one cluster. Immutable; {@link ClusterMachine} makes the next one.
 *
 * @param request what was asked for
 * @param launch the launch that is under way for it
 * @param attempt the number of the try; 0 before the first
 * @param ranks in rank order; empty until it has nodes
 * @param port the port reserved for the attempt; 0 before it is known
 * @param verdict why it ends, once that is known
 * @param grace the grace that holds when it is ended
 * @param tries what came of the attempts so far
 */
public record ClusterLife(
    Fact.Submitted request,
    ClusterState state,
    Optional<LaunchId> launch,
    int failedLaunches,
    int attempt,
    List<RankLife> ranks,
    int port,
    Optional<Verdict> verdict,
    Duration grace,
    List<WaitReason> waiting,
    Optional<Instant> expectedStart,
    Tries tries) {

  /**
   * What came of the attempts so far. Immutable.
   *
   * @param counted restarts that count
   * @param ran whether the workload has run on every rank, or failed while it began to
   * @param failure why the current attempt is over, when another one follows
   * @param pause how long that one waits when nothing of this one runs any more
   * @param pausing whether that wait has begun
   */
  public record Tries(
      int counted, boolean ran, Optional<Cause> failure, Duration pause, boolean pausing) {

    static final Tries NONE = new Tries(0, false, Optional.empty(), Duration.ZERO, false);
  }

  /** Why a cluster ends. */
  public record Verdict(ClusterExit.Outcome outcome, Optional<Cause> cause) {}

  /** What a rank's agent should do. */
  public enum Wanted {
    NOTHING,
    PREPARE,
    JOIN,
    RUN,
    STOP
  }

  static ClusterLife submitted(Fact.Submitted request) {
    return new ClusterLife(
        request,
        ClusterState.QUEUED,
        Optional.empty(),
        0,
        0,
        List.of(),
        0,
        Optional.empty(),
        request.spec().grace(),
        List.of(),
        Optional.empty(),
        Tries.NONE);
  }

  /** How far the agents of its ranks should be. */
  public Wanted wanted() {
    return switch (state) {
      case QUEUED, PLACED, BOOTING, ENDED -> Wanted.NOTHING;
      case PREPARING -> Wanted.PREPARE;
      case JOINING -> all(Progress.JOINED) ? Wanted.RUN : Wanted.JOIN;
      case RUNNING -> Wanted.RUN;
      case RESTARTING -> all(Progress.FINISHED) ? Wanted.NOTHING : Wanted.STOP;
      case STOPPING -> finished() ? Wanted.NOTHING : Wanted.STOP;
    };
  }

  /** Whether all ranks have come at least so far; false without ranks. */
  public boolean all(Progress least) {
    return !ranks.isEmpty() && ranks.stream().allMatch(rank -> rank.reached(least));
  }

  /** Whether its end is decided and nothing of it runs. */
  public boolean finished() {
    return verdict.isPresent() && ranks.stream().allMatch(rank -> rank.reached(Progress.FINISHED));
  }

  /** The rank on a node, if it has one there. */
  public Optional<RankLife> on(NodeId node) {
    return ranks.stream().filter(rank -> rank.node().equals(node)).findFirst();
  }

  ClusterLife inState(ClusterState next) {
    return changed(draft -> draft.state = next);
  }

  ClusterLife waits(List<WaitReason> reasons, Optional<Instant> expected) {
    return changed(
        draft -> {
          draft.waiting = reasons;
          draft.expectedStart = expected;
        });
  }

  ClusterLife launching(Optional<LaunchId> underWay, int failures) {
    return changed(
        draft -> {
          draft.launch = underWay;
          draft.failedLaunches = failures;
          draft.waiting = List.of();
        });
  }

  ClusterLife withRanks(List<RankLife> assigned) {
    return changed(
        draft -> {
          draft.launch = Optional.empty();
          draft.attempt = 1;
          draft.ranks = List.copyOf(assigned);
          draft.waiting = List.of();
          draft.expectedStart = Optional.empty();
        });
  }

  ClusterLife withRank(int rank, UnaryOperator<RankLife> change) {
    List<RankLife> changed =
        ranks.stream().map(r -> r.rank() == rank ? change.apply(r) : r).toList();
    return changed(draft -> draft.ranks = changed);
  }

  ClusterLife withPort(int reserved) {
    return changed(draft -> draft.port = reserved);
  }

  ClusterLife ran() {
    return changed(
        draft ->
            draft.tries =
                new Tries(tries.counted, true, tries.failure, tries.pause, tries.pausing));
  }

  /** The attempt is over, and another one follows after a pause. */
  ClusterLife failing(Cause cause, boolean counts, Duration pause) {
    int counted = tries.counted + (counts ? 1 : 0);
    return changed(
        draft -> draft.tries = new Tries(counted, true, Optional.of(cause), pause, false));
  }

  /** Nothing of the attempt runs any more, so the pause begins. */
  ClusterLife pausing() {
    return changed(
        draft ->
            draft.tries = new Tries(tries.counted, tries.ran, tries.failure, tries.pause, true));
  }

  /** The next attempt begins on the same nodes, each rank where it was. */
  ClusterLife nextAttempt() {
    List<RankLife> again = ranks.stream().map(RankLife::again).toList();
    return changed(
        draft -> {
          draft.attempt = attempt + 1;
          draft.port = 0;
          draft.ranks = again;
          draft.tries = new Tries(tries.counted, tries.ran, Optional.empty(), Duration.ZERO, false);
        });
  }

  /** The first verdict stays: what comes later is a consequence. */
  ClusterLife judged(Verdict first, Duration shorterGrace) {
    return changed(
        draft -> {
          draft.verdict = verdict.or(() -> Optional.of(first));
          draft.grace = shorterGrace.compareTo(grace) < 0 ? shorterGrace : grace;
          draft.waiting = List.of();
          draft.expectedStart = Optional.empty();
        });
  }

  private ClusterLife changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.life();
  }

  /** A copy in the making. */
  private static final class Draft {
    private final Fact.Submitted request;
    private ClusterState state;
    private Optional<LaunchId> launch;
    private int failedLaunches;
    private int attempt;
    private List<RankLife> ranks;
    private int port;
    private Optional<Verdict> verdict;
    private Duration grace;
    private List<WaitReason> waiting;
    private Optional<Instant> expectedStart;
    private Tries tries;

    Draft(ClusterLife life) {
      request = life.request;
      state = life.state;
      launch = life.launch;
      failedLaunches = life.failedLaunches;
      attempt = life.attempt;
      ranks = life.ranks;
      port = life.port;
      verdict = life.verdict;
      grace = life.grace;
      waiting = life.waiting;
      expectedStart = life.expectedStart;
      tries = life.tries;
    }

    ClusterLife life() {
      return new ClusterLife(
          request,
          state,
          launch,
          failedLaunches,
          attempt,
          ranks,
          port,
          verdict,
          grace,
          waiting,
          expectedStart,
          tries);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterNotice;
import dev.clustered.model.ClusterState;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Everything that is known of one cluster. Immutable; {@link ClusterMachine} makes the next one.
 *
 * @param request what was asked for
 * @param launches the launches that are under way for it
 * @param attempt the number of the try; 0 before the first
 * @param ranks in rank order; empty until it has nodes
 * @param port the port reserved for the attempt; 0 before it is known
 * @param verdict why it ends, once that is known
 * @param grace the grace that holds when it is ended
 * @param tries what came of the attempts so far
 * @param spares nodes that it holds to replace lost ones
 * @param placedAt when it got its nodes
 * @param notice what its ranks are told of an end to come
 */
public record ClusterLife(
    Fact.Submitted request,
    ClusterState state,
    List<Launching> launches,
    int failedLaunches,
    int attempt,
    List<RankLife> ranks,
    int port,
    Optional<Verdict> verdict,
    Duration grace,
    List<WaitReason> waiting,
    Optional<Instant> expectedStart,
    Tries tries,
    List<Spare> spares,
    Optional<Instant> placedAt,
    Optional<ClusterNotice> notice) {

  /** A node that it holds beside those of its ranks, and whether its agent has reported. */
  public record Spare(Fact.Slot slot, boolean booted) {}

  /** A launch under way, and what its nodes are to be. */
  public record Launching(LaunchId id, Purpose purpose) {}

  /** What nodes are launched for. */
  public enum Purpose {
    /** It cannot go on, or begin, without them. */
    RANKS,
    /** Spares of a cluster that does without them until they are there. */
    SPARES
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
        List.of(),
        0,
        0,
        List.of(),
        0,
        Optional.empty(),
        request.spec().grace(),
        List.of(),
        Optional.empty(),
        Tries.NONE,
        List.of(),
        Optional.empty(),
        Optional.empty());
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

  /** Whether it has fewer spares than it asked for, those that boot or are launched among them. */
  public boolean lacksSpare() {
    boolean goesOn = verdict.isEmpty() && !ranks.isEmpty() && !requeuing();
    return goesOn && launches.isEmpty() && spares.size() < request.spec().spares();
  }

  /** Whether its end is decided and nothing of it runs. */
  public boolean finished() {
    return verdict.isPresent() && ranks.stream().allMatch(rank -> rank.reached(Progress.FINISHED));
  }

  /** Whether it gives its nodes back, to wait for others. */
  public boolean requeuing() {
    return verdict.isEmpty() && !ranks.isEmpty() && tries.stage() == Tries.Stage.REQUEUED;
  }

  /** Whether a rank is one of the next attempt. */
  public boolean goesOn(RankLife rank) {
    return tries.goingOn().isEmpty() || tries.goingOn().contains(rank.rank());
  }

  /** Whether a rank of the next attempt has no node. */
  public boolean lacksNode() {
    return ranks.stream().anyMatch(rank -> goesOn(rank) && rank.lacksNode());
  }

  /** A rank in sentences, with its role where there are several. */
  String named(int rank) {
    return "rank "
        + rank
        + request.spec().role(rank).map(role -> " (" + role.name() + ")").orElse("");
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

  /** A launch for it is under way. */
  ClusterLife launching(Launching begun) {
    List<Launching> all = new ArrayList<>(launches);
    all.add(begun);
    return changed(
        draft -> {
          draft.launches = List.copyOf(all);
          draft.waiting = List.of();
        });
  }

  /** The backend has answered a launch; so many have failed by now. */
  ClusterLife answered(LaunchId launch, int failures) {
    List<Launching> rest = launches.stream().filter(l -> !l.id().equals(launch)).toList();
    return changed(
        draft -> {
          draft.launches = rest;
          draft.failedLaunches = failures;
          draft.waiting = List.of();
        });
  }

  /** What the nodes of a launch are to be, if it is known. */
  public Optional<Purpose> purpose(LaunchId launch) {
    return launches.stream().filter(l -> l.id().equals(launch)).map(Launching::purpose).findFirst();
  }

  /** It has got nodes, for the next attempt. */
  ClusterLife withRanks(List<RankLife> assigned, List<Spare> others, Instant at) {
    return changed(
        draft -> {
          draft.attempt = attempt + 1;
          draft.port = 0;
          draft.notice = Optional.empty();
          draft.ranks = List.copyOf(assigned);
          draft.spares = List.copyOf(others);
          draft.placedAt = Optional.of(at);
          draft.tries = tries.again();
          draft.waiting = List.of();
          draft.expectedStart = Optional.empty();
        });
  }

  /** It has given its nodes back. */
  ClusterLife withoutNodes() {
    return changed(
        draft -> {
          draft.ranks = List.of();
          draft.spares = List.of();
          draft.placedAt = Optional.empty();
        });
  }

  ClusterLife withSpares(List<Spare> others) {
    return changed(draft -> draft.spares = List.copyOf(others));
  }

  ClusterLife noticing(Optional<ClusterNotice> told) {
    return changed(draft -> draft.notice = told);
  }

  ClusterLife with(Tries now) {
    return changed(draft -> draft.tries = now);
  }

  ClusterLife withRank(int rank, UnaryOperator<RankLife> change) {
    List<RankLife> changed =
        ranks.stream().map(r -> r.rank() == rank ? change.apply(r) : r).toList();
    return changed(draft -> draft.ranks = changed);
  }

  ClusterLife withPort(int reserved) {
    return changed(draft -> draft.port = reserved);
  }

  /** The next attempt begins, each rank where it was or where it goes. */
  ClusterLife nextAttempt() {
    List<RankLife> again = new ArrayList<>();
    for (RankLife rank : ranks) {
      if (goesOn(rank)) {
        again.add(rank.again(again.size()));
      }
    }
    for (RankLife.Next more : tries.joining()) {
      again.add(RankLife.joining(again.size(), more));
    }
    return changed(
        draft -> {
          draft.attempt = attempt + 1;
          draft.port = 0;
          draft.notice = Optional.empty();
          draft.ranks = List.copyOf(again);
          draft.tries = tries.again();
          draft.waiting = List.of();
          draft.expectedStart = Optional.empty();
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
    private List<Launching> launches;
    private int failedLaunches;
    private int attempt;
    private List<RankLife> ranks;
    private int port;
    private Optional<Verdict> verdict;
    private Duration grace;
    private List<WaitReason> waiting;
    private Optional<Instant> expectedStart;
    private Tries tries;
    private List<Spare> spares;
    private Optional<Instant> placedAt;
    private Optional<ClusterNotice> notice;

    Draft(ClusterLife life) {
      request = life.request;
      state = life.state;
      launches = life.launches;
      failedLaunches = life.failedLaunches;
      attempt = life.attempt;
      ranks = life.ranks;
      port = life.port;
      verdict = life.verdict;
      grace = life.grace;
      waiting = life.waiting;
      expectedStart = life.expectedStart;
      tries = life.tries;
      spares = life.spares;
      placedAt = life.placedAt;
      notice = life.notice;
    }

    ClusterLife life() {
      return new ClusterLife(
          request,
          state,
          launches,
          failedLaunches,
          attempt,
          ranks,
          port,
          verdict,
          grace,
          waiting,
          expectedStart,
          tries,
          spares,
          placedAt,
          notice);
    }
  }
}

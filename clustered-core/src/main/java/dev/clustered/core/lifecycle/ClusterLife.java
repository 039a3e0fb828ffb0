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
    Optional<Instant> expectedStart) {

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
        Optional.empty());
  }

  /** How far the agents of its ranks should be. */
  public Wanted wanted() {
    return switch (state) {
      case QUEUED, PLACED, BOOTING, ENDED -> Wanted.NOTHING;
      case PREPARING -> Wanted.PREPARE;
      case JOINING -> all(Progress.JOINED) ? Wanted.RUN : Wanted.JOIN;
      case RUNNING -> Wanted.RUN;
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
    return new ClusterLife(
        request,
        next,
        launch,
        failedLaunches,
        attempt,
        ranks,
        port,
        verdict,
        grace,
        waiting,
        expectedStart);
  }

  ClusterLife waits(List<WaitReason> reasons, Optional<Instant> expected) {
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
        reasons,
        expected);
  }

  ClusterLife launching(Optional<LaunchId> underWay, int failures) {
    return new ClusterLife(
        request,
        state,
        underWay,
        failures,
        attempt,
        ranks,
        port,
        verdict,
        grace,
        List.of(),
        expectedStart);
  }

  ClusterLife withRanks(List<RankLife> assigned) {
    return new ClusterLife(
        request,
        state,
        Optional.empty(),
        failedLaunches,
        1,
        List.copyOf(assigned),
        port,
        verdict,
        grace,
        List.of(),
        Optional.empty());
  }

  ClusterLife withRank(int rank, UnaryOperator<RankLife> change) {
    List<RankLife> changed =
        ranks.stream().map(r -> r.rank() == rank ? change.apply(r) : r).toList();
    return new ClusterLife(
        request,
        state,
        launch,
        failedLaunches,
        attempt,
        changed,
        port,
        verdict,
        grace,
        waiting,
        expectedStart);
  }

  ClusterLife withPort(int reserved) {
    return new ClusterLife(
        request,
        state,
        launch,
        failedLaunches,
        attempt,
        ranks,
        reserved,
        verdict,
        grace,
        waiting,
        expectedStart);
  }

  /** The first verdict stays: what comes later is a consequence. */
  ClusterLife judged(Verdict first, Duration shorterGrace) {
    Duration least = shorterGrace.compareTo(grace) < 0 ? shorterGrace : grace;
    return new ClusterLife(
        request,
        state,
        launch,
        failedLaunches,
        attempt,
        ranks,
        port,
        verdict.or(() -> Optional.of(first)),
        least,
        List.of(),
        Optional.empty());
  }
}

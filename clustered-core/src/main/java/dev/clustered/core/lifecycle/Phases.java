// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.PhaseTimeouts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The time-outs of a cluster's phases. Stateless. */
final class Phases {

  /** How many ranks a message names. */
  private static final int MOST_NAMED = 8;

  private Phases() {}

  /** Has the phase watched that the cluster has just entered. */
  static void watch(Turn turn) {
    ClusterLife life = turn.life();
    limit(life, life.state())
        .ifPresent(
            limit -> turn.command(new Command.WatchPhase(life.state(), life.attempt(), limit)));
  }

  private static Optional<Duration> limit(ClusterLife life, ClusterState state) {
    PhaseTimeouts limits = life.request().spec().timeouts();
    return switch (state) {
      case QUEUED -> limits.queue();
      case BOOTING -> limits.boot();
      case PREPARING -> Optional.of(limits.prepare());
      case JOINING -> Optional.of(limits.join());
      case RESTARTING, STOPPING -> Optional.of(life.grace().plus(limits.drain()));
      case PLACED, RUNNING, ENDED -> Optional.empty();
    };
  }

  /** The time of a phase is over. */
  static void passed(Turn turn, Fact.PhaseTimeoutPassed fact) {
    ClusterLife life = turn.life();
    // A launch that failed put it back into the queue, where it has been since the beginning.
    boolean queued = fact.state() == ClusterState.QUEUED && life.ranks().isEmpty();
    boolean still = life.state() == fact.state() || queued;
    if (!still || life.attempt() != fact.attempt()) {
      return;
    }
    switch (fact.state()) {
      case QUEUED -> fail(turn, fact, waiting(life));
      case BOOTING -> fail(turn, fact, late(life, Progress.BOOTED, "have not reported"));
      case PREPARING -> fail(turn, fact, late(life, Progress.PREPARED, "are not prepared"));
      case JOINING -> fail(turn, fact, late(life, Progress.RUNNING, "do not run"));
      case RESTARTING, STOPPING -> drain(turn);
      case PLACED, RUNNING, ENDED -> {}
    }
  }

  private static void fail(Turn turn, Fact.PhaseTimeoutPassed fact, String why) {
    if (turn.life().verdict().isEmpty()) {
      turn.fail(
          ErrorCode.PHASE_TIMEOUT,
          "it was still %s after %s, the time-out of that phase: %s"
              .formatted(fact.state(), limitInWords(turn.life(), fact.state()), why));
    }
  }

  private static String limitInWords(ClusterLife life, ClusterState state) {
    return limit(life, state).map(Duration::toString).orElse("its time");
  }

  private static String waiting(ClusterLife life) {
    return life.waiting().isEmpty() ? "no node yet" : life.waiting().toString();
  }

  private static String late(ClusterLife life, Progress least, String what) {
    return named(life, rank -> !rank.reached(least)) + " " + what;
  }

  private static String named(ClusterLife life, Predicate<RankLife> which) {
    List<RankLife> late = life.ranks().stream().filter(which).toList();
    String some =
        late.stream()
            .limit(MOST_NAMED)
            .map(rank -> "rank %d on node %s".formatted(rank.rank(), rank.node()))
            .collect(Collectors.joining(", "));
    int more = late.size() - MOST_NAMED;
    return "%d of %d ranks (%s%s)"
        .formatted(
            late.size(), life.ranks().size(), some, more > 0 ? " and " + more + " more" : "");
  }

  /** What cannot be ended holds what it has: its node is of no use any more. */
  private static void drain(Turn turn) {
    List<NodeId> stuck =
        turn.life().ranks().stream()
            .filter(rank -> !rank.reached(Progress.FINISHED) && !rank.nodeLost())
            .map(RankLife::node)
            .toList();
    if (!stuck.isEmpty()) {
      turn.command(
          new Command.LoseNodes(
              stuck,
              "what runs there could not be ended within %s of being told to"
                  .formatted(limitInWords(turn.life(), turn.life().state()))));
    }
  }
}

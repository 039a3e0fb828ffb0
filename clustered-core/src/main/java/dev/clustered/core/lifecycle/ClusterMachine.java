// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.ClusterLife.Verdict;
import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The state machine of one cluster.
 *
 * <p>A cluster has one verdict, the first; whatever fails after it is a consequence of ending.
 * Facts that are repeated, late or of another attempt change nothing.
 */
public final class ClusterMachine {

  /** Launches that may fail for reasons other than capacity before the cluster is given up. */
  static final int MOST_FAILED_LAUNCHES = 3;

  private final List<Command> commands = new ArrayList<>();
  private final Instant now;
  private final boolean overBefore;
  private ClusterLife life;

  private ClusterMachine(ClusterLife life, Instant now) {
    this.life = life;
    this.now = now;
    this.overBefore = over();
  }

  /** The first state of a cluster. */
  public static Transition submit(Fact.Submitted fact) {
    ClusterMachine machine = new ClusterMachine(ClusterLife.submitted(fact), fact.at());
    machine.tellState(ClusterState.QUEUED, fact.spec().toString());
    fact.readyTimeout().ifPresent(limit -> machine.commands.add(new Command.WatchReady(limit)));
    return machine.transition();
  }

  /** The state after a fact about the cluster. */
  public static Transition apply(ClusterLife life, Fact.OfCluster fact) {
    ClusterMachine machine = new ClusterMachine(life, fact.at());
    if (life.state() != ClusterState.ENDED) {
      machine.on(fact);
      machine.settle();
    }
    return machine.transition();
  }

  /** The state after one of its nodes reported for the first time. */
  public static Transition nodeJoined(ClusterLife life, NodeId node, Instant at) {
    ClusterMachine machine = new ClusterMachine(life, at);
    life.on(node).ifPresent(rank -> machine.booted(rank));
    machine.settle();
    return machine.transition();
  }

  /** The state after one of its nodes was lost. */
  public static Transition nodeLost(ClusterLife life, NodeId node, String message, Instant at) {
    ClusterMachine machine = new ClusterMachine(life, at);
    life.on(node).ifPresent(rank -> machine.lost(rank, message));
    machine.settle();
    return machine.transition();
  }

  private Transition transition() {
    return new Transition(life, commands);
  }

  private void on(Fact.OfCluster fact) {
    switch (fact) {
      case Fact.Submitted repeated -> {}
      case Fact.Waits waits -> waits(waits);
      case Fact.Refused refused -> fail(refused.code(), refused.message());
      case Fact.Placed placed -> {
        enter(ClusterState.PLACED, placed.slots().size() + " nodes of the pool");
        assign(placed.slots());
        life.ranks().forEach(this::booted); // The pool has only nodes whose agents have reported.
      }
      case Fact.LaunchDecided decided -> launchDecided(decided);
      case Fact.LaunchGranted granted -> assign(granted.slots());
      case Fact.LaunchFailed failed -> launchFailed(failed);
      case Fact.RankReported reported -> reported(reported);
      case Fact.StopRequested stop -> stop(stop);
      case Fact.ReadyTimeoutPassed passed -> readyTimeout();
      case Fact.TimeLimitPassed passed -> timeLimit();
      case Fact.Released released -> life = life.finished() ? ended() : life;
    }
  }

  private void waits(Fact.Waits fact) {
    boolean changed = !fact.reasons().equals(life.waiting());
    life = life.waits(fact.reasons(), fact.expectedStart());
    if (changed) {
      tell(new ClusterEvent.Waiting(id(), now, fact.reasons()));
    }
  }

  private void launchDecided(Fact.LaunchDecided fact) {
    life = life.launching(Optional.of(fact.launch()), life.failedLaunches());
    String detail =
        "%d × %s in zone %s"
            .formatted(fact.nodes().size(), fact.offer().shape().name(), fact.offer().zone());
    enter(ClusterState.PLACED, detail);
  }

  private void launchFailed(Fact.LaunchFailed fact) {
    boolean capacity = fact.code() == ErrorCode.NO_CAPACITY;
    life = life.launching(Optional.empty(), life.failedLaunches() + (capacity ? 0 : 1));
    if (life.verdict().isPresent()) {
      return;
    }
    boolean hopeless = !fact.code().retryable() || life.failedLaunches() >= MOST_FAILED_LAUNCHES;
    if (hopeless && !capacity) {
      fail(fact.code(), fact.message());
      return;
    }
    enter(ClusterState.QUEUED, fact.message());
  }

  private void assign(List<Fact.Slot> slots) {
    List<RankLife> ranks = new ArrayList<>();
    for (Fact.Slot slot : slots) {
      ranks.add(RankLife.assigned(ranks.size(), slot));
    }
    life = life.withRanks(ranks);
    if (life.verdict().isEmpty()) {
      enter(ClusterState.BOOTING, "");
    } else {
      life.ranks().forEach(this::withdraw);
    }
  }

  private void booted(RankLife rank) {
    if (rank.reached(Progress.BOOTED)) {
      return;
    }
    life = life.withRank(rank.rank(), r -> r.advanced(Progress.BOOTED));
    int ready = (int) life.ranks().stream().filter(r -> r.reached(Progress.BOOTED)).count();
    tell(new ClusterEvent.NodeReady(id(), now, rank.node(), ready, life.ranks().size()));
  }

  private void reported(Fact.RankReported fact) {
    if (fact.attempt() != life.attempt() || fact.rank() >= life.ranks().size()) {
      return;
    }
    switch (fact.report()) {
      case RankReport.Prepared prepared -> {
        life = life.withRank(fact.rank(), r -> r.advanced(Progress.PREPARED));
        life = fact.rank() == 0 && life.port() == 0 ? life.withPort(prepared.port()) : life;
      }
      case RankReport.Joined joined -> joined(fact.rank(), joined.size(), joined.rank());
      case RankReport.Running running -> started(fact.rank(), running.processId());
      case RankReport.Exited exited -> exited(fact.rank(), exited);
      case RankReport.Finished finished -> finished(fact.rank(), finished);
      case RankReport.Failed failed -> failed(fact.rank(), failed.code(), failed.message());
    }
  }

  private void joined(int rank, int size, int seen) {
    if (size != life.ranks().size() || seen != rank) {
      failed(
          rank,
          ErrorCode.JOIN_MISMATCH,
          "it sees rank %d of %d, the engine has rank %d of %d"
              .formatted(seen, size, rank, life.ranks().size()));
      return;
    }
    life = life.withRank(rank, r -> r.advanced(Progress.JOINED));
  }

  private void started(int rank, long processId) {
    if (life.ranks().get(rank).reached(Progress.RUNNING)) {
      return;
    }
    life = life.withRank(rank, r -> r.advanced(Progress.RUNNING));
    tell(new ClusterEvent.RankStarted(id(), now, life.attempt(), rank, processId));
  }

  private void exited(int rank, RankReport.Exited report) {
    if (life.ranks().get(rank).reached(Progress.EXITED)) {
      return;
    }
    EndedBy by = report.killed() ? EndedBy.ENGINE : EndedBy.ITSELF;
    ProcessEnd end = report.end();
    life = life.withRank(rank, r -> r.exited(report, by));
    tell(new ClusterEvent.RankEnded(id(), now, life.attempt(), rank, end, by));
    if (life.verdict().isEmpty()) {
      judgeExit(rank, end);
    }
  }

  private void judgeExit(int rank, ProcessEnd end) {
    if (end instanceof ProcessEnd.NotStarted notStarted) {
      fail(
          ErrorCode.START_FAILED,
          OptionalInt.of(rank),
          Optional.of(end),
          "rank %d could not start (code %d): %s"
              .formatted(rank, notStarted.code(), notStarted.message()));
      return;
    }
    if (!end.success()) {
      running();
      fail(
          ErrorCode.RANK_FAILED,
          OptionalInt.of(rank),
          Optional.of(end),
          "rank %d ended with %s on node %s".formatted(rank, end, life.ranks().get(rank).node()));
    }
  }

  private void finished(int rank, RankReport.Finished report) {
    if (life.ranks().get(rank).reached(Progress.FINISHED)) {
      return;
    }
    report
        .end()
        .ifPresent(
            end ->
                exited(
                    rank,
                    new RankReport.Exited(
                        end, report.when().orElse(now), report.killed(), report.outOfMemory())));
    EndedBy by = report.killed() ? EndedBy.ENGINE : EndedBy.ITSELF;
    life =
        life.withRank(
            rank,
            r ->
                r.ended(Progress.FINISHED, report.end(), report.when(), by)
                    .withResult(report.result()));
  }

  private void failed(int rank, ErrorCode code, String message) {
    fail(
        code,
        OptionalInt.of(rank),
        Optional.empty(),
        "rank %d on node %s: %s".formatted(rank, life.ranks().get(rank).node(), message));
    life =
        life.withRank(
            rank,
            r -> r.ended(Progress.FINISHED, Optional.empty(), Optional.of(now), EndedBy.ENGINE));
  }

  private void lost(RankLife rank, String message) {
    if (rank.reached(Progress.FINISHED)) {
      return;
    }
    ProcessEnd end = new ProcessEnd.Unknown(message);
    Optional<ProcessEnd> known =
        rank.reached(Progress.RUNNING) ? Optional.of(end) : Optional.empty();
    life =
        life.withRank(
            rank.rank(), r -> r.ended(Progress.FINISHED, known, Optional.of(now), EndedBy.ITSELF));
    fail(
        ErrorCode.NODE_LOST,
        OptionalInt.of(rank.rank()),
        known,
        "node %s of rank %d is lost: %s".formatted(rank.node(), rank.rank(), message));
  }

  private void stop(Fact.StopRequested fact) {
    judge(
        new Verdict(
            Outcome.STOPPED,
            Optional.of(
                new Cause(ErrorCode.CANCELLED, OptionalInt.empty(), Optional.empty(), fact.why()))),
        fact.grace());
  }

  private void readyTimeout() {
    if (life.verdict().isEmpty() && life.state().compareTo(ClusterState.RUNNING) < 0) {
      fail(
          ErrorCode.READY_TIMEOUT,
          "it was still %s after %s%s"
              .formatted(
                  life.state(),
                  life.request().readyTimeout().orElse(Duration.ZERO),
                  life.waiting().isEmpty() ? "" : ": " + life.waiting()));
    }
  }

  private void timeLimit() {
    if (life.verdict().isEmpty()) {
      fail(
          ErrorCode.TIME_LIMIT,
          "it ran for its whole time limit of "
              + life.request().spec().timeLimit().orElse(Duration.ZERO));
    }
  }

  private void fail(ErrorCode code, String message) {
    fail(code, OptionalInt.empty(), Optional.empty(), message);
  }

  private void fail(ErrorCode code, OptionalInt rank, Optional<ProcessEnd> end, String message) {
    Cause cause = new Cause(code, rank, end, message);
    judge(new Verdict(Outcome.FAILED, Optional.of(cause)), life.grace());
  }

  private void judge(Verdict verdict, Duration grace) {
    boolean first = life.verdict().isEmpty();
    life = life.judged(verdict, grace);
    if (first) {
      tell(new ClusterEvent.Verdict(id(), now, verdict.outcome(), verdict.cause()));
      String why = verdict.cause().map(Cause::message).orElse("every rank succeeded");
      withdrawUnasked();
      enter(ClusterState.STOPPING, why);
      life.launch().ifPresent(launch -> commands.add(new Command.AbandonLaunch(launch)));
    }
  }

  private void withdrawUnasked() {
    if (life.state().compareTo(ClusterState.PREPARING) < 0) {
      life.ranks().forEach(this::withdraw);
    }
  }

  private void withdraw(RankLife rank) {
    life = life.withRank(rank.rank(), r -> r.advanced(Progress.FINISHED));
  }

  private void settle() {
    if (life.verdict().isPresent()) {
      settleEnd();
      return;
    }
    if (life.state() == ClusterState.BOOTING && life.all(Progress.BOOTED)) {
      enter(ClusterState.PREPARING, "");
    }
    if (life.state() == ClusterState.PREPARING && life.all(Progress.PREPARED)) {
      enter(ClusterState.JOINING, "port " + life.port() + " of the leader");
    }
    if (life.state() == ClusterState.JOINING && life.all(Progress.RUNNING)) {
      running();
    }
    if (life.state() == ClusterState.RUNNING && life.all(Progress.EXITED)) {
      judge(new Verdict(Outcome.SUCCEEDED, Optional.empty()), life.grace());
      settleEnd();
    }
  }

  private void settleEnd() {
    if (over() && !overBefore) {
      commands.add(new Command.Exit());
      commands.add(new Command.Release());
    }
  }

  private boolean over() {
    return life.state() == ClusterState.STOPPING && life.launch().isEmpty() && life.finished();
  }

  private void running() {
    if (life.state() == ClusterState.RUNNING) {
      return;
    }
    enter(ClusterState.RUNNING, "");
    commands.add(new Command.Ready());
    life.request()
        .spec()
        .timeLimit()
        .ifPresent(limit -> commands.add(new Command.WatchTimeLimit(limit)));
  }

  private void enter(ClusterState state, String detail) {
    life = life.inState(state);
    tellState(state, detail);
  }

  private void tellState(ClusterState state, String detail) {
    tell(new ClusterEvent.StateChanged(id(), now, state, detail));
  }

  private void tell(ClusterEvent event) {
    commands.add(new Command.Tell(event));
  }

  private dev.clustered.model.ClusterId id() {
    return life.request().cluster();
  }

  private ClusterLife ended() {
    enter(ClusterState.ENDED, "");
    return life;
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.ClusterLife.Launching;
import dev.clustered.core.lifecycle.ClusterLife.Purpose;
import dev.clustered.core.lifecycle.ClusterLife.Verdict;
import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.RestartCause;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The state machine of one cluster.
 *
 * <p>A cluster has one verdict, the first; whatever fails after it is a consequence of ending. A
 * failure that its restart policy covers is no verdict but the end of an attempt: all ranks are
 * stopped, and when nothing of them runs any more the next attempt begins on the same nodes. Facts
 * that are repeated, late or of another attempt change nothing.
 */
public final class ClusterMachine {

  /** Launches that may fail for reasons other than capacity before the cluster is given up. */
  static final int MOST_FAILED_LAUNCHES = 3;

  private final Turn turn;
  private final boolean overBefore;
  private final boolean gaveBackBefore;

  private ClusterMachine(ClusterLife life, Instant now) {
    this.turn = new Turn(life, now);
    this.overBefore = over();
    this.gaveBackBefore = givesBack();
  }

  /** The first state of a cluster. */
  public static Transition submit(Fact.Submitted fact) {
    Turn turn = new Turn(ClusterLife.submitted(fact), fact.at());
    turn.tellState(ClusterState.QUEUED, fact.spec().toString());
    Phases.watch(turn);
    fact.readyTimeout().ifPresent(limit -> turn.command(new Command.WatchReady(limit)));
    return turn.transition();
  }

  /** The state after a fact about the cluster. */
  public static Transition apply(ClusterLife life, Fact.OfCluster fact) {
    ClusterMachine machine = new ClusterMachine(life, fact.at());
    if (life.state() != ClusterState.ENDED) {
      machine.on(fact);
      machine.settle();
    }
    return machine.turn.transition();
  }

  /** The state after one of its nodes reported for the first time. */
  public static Transition nodeJoined(ClusterLife life, NodeId node, Instant at) {
    ClusterMachine machine = new ClusterMachine(life, at);
    NodeFacts.joined(machine.turn, node);
    machine.settle();
    return machine.turn.transition();
  }

  /** The state after something was announced of one of its nodes. */
  public static Transition nodeNoticed(ClusterLife life, Fact.NodeNoticed fact) {
    ClusterMachine machine = new ClusterMachine(life, fact.at());
    NodeFacts.noticed(machine.turn, fact);
    return machine.turn.transition();
  }

  /** The state after one of its nodes was lost. */
  public static Transition nodeLost(ClusterLife life, Fact.NodeLost fact) {
    ClusterMachine machine = new ClusterMachine(life, fact.at());
    NodeFacts.lost(machine.turn, fact);
    machine.settle();
    return machine.turn.transition();
  }

  private ClusterLife life() {
    return turn.life();
  }

  private void on(Fact.OfCluster fact) {
    switch (fact) {
      case Fact.Submitted repeated -> {}
      case Fact.Waits waits -> waits(waits);
      case Fact.Refused refused -> turn.fail(refused.code(), refused.message());
      case Fact.Placed placed -> {
        turn.enter(ClusterState.PLACED, placed.slots().size() + " nodes of the pool");
        NodeFacts.assign(turn, placed.slots());
        // The pool has only nodes whose agents have reported.
        placed.slots().forEach(slot -> NodeFacts.joined(turn, slot.node()));
      }
      case Fact.Replaced replaced -> NodeFacts.replaced(turn, replaced);
      case Fact.Resized resized -> NodeFacts.resized(turn, resized);
      case Fact.Grown grown -> NodeFacts.grown(turn, grown);
      case Fact.Requeued requeued -> requeued(requeued);
      case Fact.LaunchDecided decided -> launchDecided(decided);
      case Fact.LaunchGranted granted -> NodeFacts.granted(turn, granted);
      case Fact.LaunchFailed failed -> launchFailed(failed);
      case Fact.RankReported reported -> RankFacts.reported(turn, reported);
      case Fact.PauseOver over -> Restarts.pauseOver(turn, over.attempt());
      case Fact.SilencePassed passed -> Hangs.silencePassed(turn, passed.attempt());
      case Fact.PhaseTimeoutPassed passed -> Phases.passed(turn, passed);
      case Fact.StopRequested stop -> stop(stop);
      case Fact.ReadyTimeoutPassed passed -> readyTimeout();
      case Fact.TimeLimitPassed passed -> timeLimit();
      case Fact.Released released -> released();
    }
  }

  private void waits(Fact.Waits fact) {
    boolean changed = !fact.reasons().equals(life().waiting());
    turn.change(life -> life.waits(fact.reasons(), fact.expectedStart()));
    if (changed) {
      turn.tell(new ClusterEvent.Waiting(turn.id(), turn.now(), fact.reasons()));
    }
  }

  private void launchDecided(Fact.LaunchDecided fact) {
    boolean forRanks = life().ranks().isEmpty() || life().lacksNode();
    Purpose purpose = forRanks ? Purpose.RANKS : Purpose.SPARES;
    turn.change(life -> life.launching(new Launching(fact.launch(), purpose)));
    if (!life().ranks().isEmpty()) {
      return; // For a node that it lost, or a spare that it lacks.
    }
    String detail =
        "%d × %s in zone %s"
            .formatted(fact.nodes().size(), fact.offer().shape().name(), fact.offer().zone());
    turn.enter(ClusterState.PLACED, detail);
  }

  private void launchFailed(Fact.LaunchFailed fact) {
    boolean spares = life().purpose(fact.launch()).filter(Purpose.SPARES::equals).isPresent();
    boolean capacity = fact.code() == ErrorCode.NO_CAPACITY;
    int failures = life().failedLaunches() + (capacity || spares ? 0 : 1);
    turn.change(life -> life.answered(fact.launch(), failures));
    if (life().verdict().isPresent() || spares) {
      return; // Without spares it goes on as before.
    }
    boolean hopeless = !fact.code().retryable() || failures >= MOST_FAILED_LAUNCHES;
    if (hopeless && !capacity) {
      turn.fail(fact.code(), fact.message());
      return;
    }
    if (life().ranks().isEmpty()) {
      turn.enter(ClusterState.QUEUED, fact.message());
    }
  }

  /** Only when nothing of it runs any more: before, its nodes are not free for anybody. */
  private void requeued(Fact.Requeued fact) {
    boolean due =
        life().state() == ClusterState.RESTARTING
            && life().tries().stage() != Tries.Stage.NOT_BEGUN
            && life().tries().stage() != Tries.Stage.REQUEUED
            && life().lacksNode();
    if (due) {
      turn.change(life -> life.with(life.tries().waiting(Tries.Stage.REQUEUED)));
      waits(new Fact.Waits(fact.cluster(), fact.at(), fact.reasons(), Optional.empty()));
      turn.abandonLaunches();
    }
  }

  private void stop(Fact.StopRequested fact) {
    turn.judge(
        new Verdict(
            Outcome.STOPPED,
            Optional.of(
                new Cause(ErrorCode.CANCELLED, OptionalInt.empty(), Optional.empty(), fact.why()))),
        fact.grace());
  }

  private void readyTimeout() {
    if (life().verdict().isEmpty() && !life().tries().ran()) {
      turn.fail(
          ErrorCode.READY_TIMEOUT,
          "it was still %s after %s%s"
              .formatted(
                  life().state(),
                  life().request().readyTimeout().orElse(Duration.ZERO),
                  life().waiting().isEmpty() ? "" : ": " + life().waiting()));
    }
  }

  private void timeLimit() {
    if (life().verdict().isEmpty()) {
      turn.fail(
          ErrorCode.TIME_LIMIT,
          "it ran for its whole time limit of "
              + life().request().spec().timeLimit().orElse(Duration.ZERO));
    }
  }

  private void released() {
    if (life().finished()) {
      turn.enter(ClusterState.ENDED, "");
    } else if (givesBack()) {
      List<WaitReason> reasons = life().waiting();
      turn.change(ClusterLife::withoutNodes);
      turn.enter(ClusterState.QUEUED, "for other nodes: " + reasons);
    }
  }

  private void settle() {
    if (life().verdict().isPresent()) {
      settleEnd();
      return;
    }
    if (givesBack() && !gaveBackBefore) {
      turn.command(new Command.Requeue());
    }
    if (life().state() == ClusterState.BOOTING && life().all(Progress.BOOTED)) {
      turn.enter(ClusterState.PREPARING, "");
    }
    if (life().state() == ClusterState.PREPARING && life().all(Progress.PREPARED)) {
      turn.enter(ClusterState.JOINING, "port " + life().port() + " of the leader");
    }
    if (life().state() == ClusterState.JOINING && life().all(Progress.RUNNING)) {
      turn.running();
    }
    if (life().state() == ClusterState.RUNNING) {
      Hangs.judge(life(), turn.now())
          .ifPresent(cause -> Restarts.decide(turn, RestartCause.HUNG, cause));
    }
    if (life().state() == ClusterState.RUNNING && Success.over(life())) {
      turn.judge(new Verdict(Outcome.SUCCEEDED, Optional.empty()), life().grace());
    }
    Restarts.settle(turn);
    Restarts.begin(turn);
    if (life().verdict().isPresent()) {
      settleEnd();
    }
  }

  private void settleEnd() {
    if (over() && !overBefore) {
      turn.command(new Command.Exit());
      turn.command(new Command.Release());
    }
  }

  /** Whether it waits for others in the place of its nodes, and no launch may bring it more. */
  private boolean givesBack() {
    return life().requeuing() && life().launches().isEmpty();
  }

  private boolean over() {
    return life().state() == ClusterState.STOPPING
        && life().launches().isEmpty()
        && life().finished();
  }
}

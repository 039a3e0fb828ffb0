// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.ClusterLife.Verdict;
import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/** A cluster's life while one fact changes it, and what is to be done. Not thread-safe. */
final class Turn {

  private final List<Command> commands = new ArrayList<>();
  private final Instant now;
  private ClusterLife life;

  Turn(ClusterLife life, Instant now) {
    this.life = life;
    this.now = now;
  }

  Transition transition() {
    return new Transition(life, commands);
  }

  ClusterLife life() {
    return life;
  }

  ClusterId id() {
    return life.request().cluster();
  }

  Instant now() {
    return now;
  }

  void change(UnaryOperator<ClusterLife> change) {
    life = change.apply(life);
  }

  void changeRank(int rank, UnaryOperator<RankLife> change) {
    life = life.withRank(rank, change);
  }

  void command(Command command) {
    commands.add(command);
  }

  void enter(ClusterState state, String detail) {
    life = life.inState(state);
    tellState(state, detail);
    Phases.watch(this);
  }

  void tellState(ClusterState state, String detail) {
    tell(new ClusterEvent.StateChanged(id(), now, state, detail));
  }

  void tell(ClusterEvent event) {
    commands.add(new Command.Tell(event));
  }

  /** The workload runs on every rank, or ran on some. */
  void running() {
    if (life.state() == ClusterState.RUNNING) {
      return;
    }
    boolean first = !life.tries().ran();
    life = life.with(life.tries().afterRunning());
    enter(ClusterState.RUNNING, life.attempt() == 1 ? "" : "attempt " + life.attempt());
    if (first) {
      commands.add(new Command.Ready());
      life.request()
          .spec()
          .timeLimit()
          .ifPresent(limit -> commands.add(new Command.WatchTimeLimit(limit)));
    }
  }

  /** Something failed that is nobody's fault in particular. */
  void fail(ErrorCode code, String message) {
    fail(code, OptionalInt.empty(), Optional.empty(), message);
  }

  /** Something failed, and the cluster with it. */
  void fail(ErrorCode code, OptionalInt rank, Optional<ProcessEnd> end, String message) {
    fail(new Cause(code, rank, end, message));
  }

  void fail(Cause cause) {
    judge(new Verdict(Outcome.FAILED, Optional.of(cause)), life.grace());
  }

  /** The end of the cluster is decided; the first verdict stays. */
  void judge(Verdict verdict, Duration grace) {
    boolean first = life.verdict().isEmpty();
    life = life.judged(verdict, grace);
    if (first) {
      tell(new ClusterEvent.Verdict(id(), now, verdict.outcome(), verdict.cause()));
      String why = verdict.cause().map(Cause::message).orElseGet(() -> Success.inWords(life));
      if (life.state().compareTo(ClusterState.PREPARING) < 0) {
        life.ranks().forEach(this::withdraw);
      }
      enter(ClusterState.STOPPING, why);
      abandonLaunches();
    }
  }

  /** Whatever is being launched is not wanted any more. */
  void abandonLaunches() {
    life.launches().forEach(launch -> commands.add(new Command.AbandonLaunch(launch.id())));
  }

  /** A rank of which no agent has heard has nothing to end. */
  void withdraw(RankLife rank) {
    changeRank(rank.rank(), r -> r.advanced(Progress.FINISHED));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.ClusterLife.Verdict;
import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import dev.clustered.model.RestartCause;
import java.util.Optional;
import java.util.OptionalInt;

/** What the reports on ranks and the loss of their nodes make of a cluster. Stateless. */
final class RankFacts {

  private RankFacts() {}

  static void reported(Turn turn, Fact.RankReported fact) {
    ClusterLife life = turn.life();
    if (fact.attempt() != life.attempt() || fact.rank() >= life.ranks().size()) {
      return;
    }
    switch (fact.report()) {
      case RankReport.Prepared prepared -> prepared(turn, fact.rank(), prepared.port());
      case RankReport.Joined joined -> joined(turn, fact.rank(), joined.size(), joined.rank());
      case RankReport.Running running -> started(turn, fact.rank(), running.processId());
      case RankReport.Still still -> still(turn, fact.rank(), still);
      case RankReport.Exited exited -> exited(turn, fact.rank(), exited);
      case RankReport.Finished finished -> finished(turn, fact.rank(), finished);
      case RankReport.Failed failed -> failed(turn, fact.rank(), failed.code(), failed.message());
    }
  }

  private static void prepared(Turn turn, int rank, int port) {
    turn.changeRank(rank, r -> r.advanced(Progress.PREPARED));
    if (rank == 0 && turn.life().port() == 0) {
      turn.change(life -> life.withPort(port));
    }
  }

  private static void joined(Turn turn, int rank, int size, int seen) {
    int ranks = turn.life().ranks().size();
    if (size != ranks || seen != rank) {
      failed(
          turn,
          rank,
          ErrorCode.JOIN_MISMATCH,
          "it sees rank %d of %d, the engine has rank %d of %d".formatted(seen, size, rank, ranks));
      return;
    }
    turn.changeRank(rank, r -> r.advanced(Progress.JOINED));
  }

  private static void started(Turn turn, int rank, long processId) {
    if (turn.life().ranks().get(rank).reached(Progress.RUNNING)) {
      return;
    }
    turn.changeRank(rank, r -> r.advanced(Progress.RUNNING));
    turn.tell(
        new ClusterEvent.RankStarted(
            turn.id(), turn.now(), turn.life().attempt(), rank, processId));
  }

  /** Whether it hangs is judged when all that a fact changes is known. */
  private static void still(Turn turn, int rank, RankReport.Still report) {
    if (turn.life().ranks().get(rank).progress() == Progress.RUNNING) {
      turn.changeRank(rank, r -> r.withStill(new RankLife.Still(report, turn.now())));
    }
  }

  private static void exited(Turn turn, int rank, RankReport.Exited report) {
    if (turn.life().ranks().get(rank).reached(Progress.EXITED)) {
      return;
    }
    EndedBy by = report.killed() ? EndedBy.ENGINE : EndedBy.ITSELF;
    ProcessEnd end = report.end();
    Hangs.ended(turn, rank);
    turn.changeRank(rank, r -> r.exited(report, by));
    turn.tell(
        new ClusterEvent.RankEnded(turn.id(), turn.now(), turn.life().attempt(), rank, end, by));
    if (turn.life().verdict().isEmpty() && turn.life().tries().failure().isEmpty()) {
      judgeExit(turn, rank, end);
    }
  }

  private static void judgeExit(Turn turn, int rank, ProcessEnd end) {
    if (end instanceof ProcessEnd.NotStarted notStarted) {
      String why =
          "%s could not start (code %d): %s"
              .formatted(turn.life().named(rank), notStarted.code(), notStarted.message());
      Restarts.decide(
          turn,
          RestartCause.START_FAILED,
          new Cause(ErrorCode.START_FAILED, OptionalInt.of(rank), Optional.of(end), why));
      return;
    }
    ClusterLife life = turn.life();
    if (Success.decidedBy(life, rank, end)) {
      turn.running();
      turn.judge(new Verdict(Outcome.SUCCEEDED, Optional.empty()), life.grace());
    } else if (Success.failedBy(life, rank, end)) {
      turn.running();
      String node = turn.life().ranks().get(rank).node().toString();
      Cause cause =
          new Cause(
              ErrorCode.RANK_FAILED,
              OptionalInt.of(rank),
              Optional.of(end),
              "%s ended with %s on node %s".formatted(life.named(rank), end, node));
      Restarts.decide(turn, RestartCause.RANK_FAILED, cause);
    }
  }

  private static void finished(Turn turn, int rank, RankReport.Finished report) {
    if (turn.life().ranks().get(rank).reached(Progress.FINISHED)) {
      return;
    }
    report
        .end()
        .ifPresent(
            end ->
                exited(
                    turn,
                    rank,
                    new RankReport.Exited(
                        end,
                        report.when().orElse(turn.now()),
                        report.killed(),
                        report.outOfMemory())));
    EndedBy by = report.killed() ? EndedBy.ENGINE : EndedBy.ITSELF;
    turn.changeRank(
        rank,
        r ->
            r.ended(Progress.FINISHED, report.end(), report.when(), by)
                .withResult(report.result(), report.reachedStep()));
  }

  private static void failed(Turn turn, int rank, ErrorCode code, String message) {
    String why =
        "%s on node %s: %s"
            .formatted(turn.life().named(rank), turn.life().ranks().get(rank).node(), message);
    Cause cause = new Cause(code, OptionalInt.of(rank), Optional.empty(), why);
    turn.changeRank(
        rank,
        r -> r.ended(Progress.FINISHED, Optional.empty(), Optional.of(turn.now()), EndedBy.ENGINE));
    if (turn.life().verdict().isPresent() || turn.life().tries().failure().isPresent()) {
      return;
    }
    if (code == ErrorCode.JOIN_MISMATCH || code == ErrorCode.INTERNAL) {
      turn.fail(code, cause.rank(), cause.end(), why); // Another attempt would see the same.
    } else {
      Restarts.decide(turn, RestartCause.START_FAILED, cause);
    }
  }
}

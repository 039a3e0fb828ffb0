// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.core.lifecycle.Tries.Failure;
import dev.clustered.core.lifecycle.Tries.Stage;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import java.time.Duration;
import java.util.Optional;

/** Whether another attempt follows one that failed, and after which pause. Stateless. */
final class Restarts {

  /** Doubling ends here: from a nanosecond on, the longest of a day is reached by then. */
  private static final int MOST_DOUBLINGS = 47;

  private Restarts() {}

  /** The attempt has failed: another one follows, or the cluster fails with it. */
  static void decide(Turn turn, RestartCause kind, Cause cause) {
    ClusterLife life = turn.life();
    if (!possible(life, kind, cause)) {
      turn.fail(cause);
      return;
    }
    Failure failure = new Failure(cause, kind, !always(life, cause), pause(life));
    turn.change(l -> l.with(l.tries().failing(failure, !policy(l).budgets().containsKey(kind))));
    turn.tell(
        new ClusterEvent.AttemptFailed(
            turn.id(), turn.now(), life.attempt(), cause, failure.pause()));
    if (life.state().compareTo(ClusterState.PREPARING) < 0) {
      turn.life().ranks().forEach(rank -> withdraw(turn, rank));
    }
    turn.enter(ClusterState.RESTARTING, cause.message());
  }

  /** A rank of which no agent has heard has nothing to end; its node may still be booting. */
  private static void withdraw(Turn turn, RankLife rank) {
    if (!rank.reached(Progress.BOOTED)) {
      turn.changeRank(rank.rank(), r -> r.goingTo(new RankLife.Next(r.settled(), false)));
    }
    turn.withdraw(rank);
  }

  private static boolean possible(ClusterLife life, RestartCause kind, Cause cause) {
    RestartPolicy policy = policy(life);
    boolean never = code(cause).map(policy.never()::contains).orElse(false);
    // With progress the restarts may yet be given back: decided when all of the attempt has ended.
    boolean left = always(life, cause) || left(life, kind) > 0 || progressCounts(life, kind);
    return !never && left;
  }

  private static boolean progressCounts(ClusterLife life, RestartCause kind) {
    return policy(life).withoutProgress() > 0 && most(life, kind) > 0;
  }

  /** How many restarts there are after a cause. */
  private static int most(ClusterLife life, RestartCause kind) {
    int shared = kind == RestartCause.START_FAILED ? 0 : policy(life).restarts();
    return policy(life).budgets().getOrDefault(kind, shared);
  }

  /** How many are left. */
  private static int left(ClusterLife life, RestartCause kind) {
    boolean own = policy(life).budgets().containsKey(kind);
    Tries tries = life.tries();
    return most(life, kind) - (own ? tries.own().getOrDefault(kind, 0) : tries.counted());
  }

  /** When nothing of the attempt runs any more: counts its progress, and begins the pause. */
  static void settle(Turn turn) {
    ClusterLife life = turn.life();
    Optional<Failure> failure = life.tries().failure();
    boolean due =
        life.state() == ClusterState.RESTARTING
            && life.all(Progress.FINISHED)
            && failure.isPresent()
            && life.tries().stage() == Stage.NOT_BEGUN;
    if (!due) {
      return;
    }
    if (policy(life).withoutProgress() > 0 && !progressed(turn, failure.get())) {
      return;
    }
    turn.change(l -> l.with(l.tries().waiting(Stage.PAUSE)));
    turn.command(new Command.CloseAttempt(life.attempt()));
    turn.command(new Command.WatchPause(life.attempt(), failure.get().pause()));
  }

  /** Whether another attempt may follow, by how far this one got. */
  private static boolean progressed(Turn turn, Failure failure) {
    ClusterLife life = turn.life();
    long before = life.tries().furthest().orElse(Long.MIN_VALUE);
    Optional<Long> reached =
        life.ranks().stream()
            .flatMap(rank -> rank.reachedStep().stream())
            .max(Long::compare)
            .filter(step -> step > before);
    turn.change(
        l -> l.with(reached.map(l.tries()::further).orElseGet(() -> l.tries().noFurther())));
    Cause cause = failure.cause();
    int most = policy(life).withoutProgress();
    if (turn.life().tries().withoutProgress() >= most) {
      String why =
          "%s; %d attempts in a row got no further%s"
              .formatted(
                  cause.message(),
                  most,
                  life.tries().furthest().map(step -> " than " + step).orElse(""));
      turn.fail(new Cause(cause.code(), cause.rank(), cause.end(), why, cause.evidence()));
      return false;
    }
    // Counted already, so none left means that this one was not covered.
    if (reached.isEmpty() && failure.counts() && left(turn.life(), failure.kind()) < 0) {
      turn.fail(cause);
      return false;
    }
    return true;
  }

  /** The pause is over: the next attempt begins, as soon as each of its ranks has a node. */
  static void pauseOver(Turn turn, int attempt) {
    ClusterLife life = turn.life();
    boolean due =
        life.state() == ClusterState.RESTARTING
            && life.tries().stage() == Stage.PAUSE
            && life.attempt() == attempt;
    if (due) {
      turn.change(l -> l.with(l.tries().waiting(Stage.NODES)));
      begin(turn);
    }
  }

  /** Begins the next attempt if nothing is waited for any more. */
  static void begin(Turn turn) {
    ClusterLife life = turn.life();
    boolean due =
        life.state() == ClusterState.RESTARTING
            && life.tries().stage() == Stage.NODES
            && !life.lacksNode();
    if (due) {
      int before = life.ranks().size();
      turn.change(ClusterLife::nextAttempt);
      boolean booted = turn.life().all(Progress.BOOTED);
      int size = turn.life().ranks().size();
      turn.enter(
          booted ? ClusterState.PREPARING : ClusterState.BOOTING,
          "attempt %d%s"
              .formatted(
                  turn.life().attempt(),
                  size == before ? "" : ", %d ranks in the place of %d".formatted(size, before)));
    }
  }

  private static boolean always(ClusterLife life, Cause cause) {
    return code(cause).map(policy(life).always()::contains).orElse(false);
  }

  private static Optional<Integer> code(Cause cause) {
    return cause
        .end()
        .flatMap(
            end ->
                end instanceof ProcessEnd.Code ended
                    ? Optional.of(ended.code())
                    : Optional.empty());
  }

  private static RestartPolicy policy(ClusterLife life) {
    return life.request().spec().restartPolicy();
  }

  private static Duration pause(ClusterLife life) {
    RestartPolicy policy = policy(life);
    Duration pause = policy.pause();
    for (int n = 1; n < life.attempt() && n <= MOST_DOUBLINGS; n++) {
      pause = pause.compareTo(policy.longestPause()) < 0 ? pause.multipliedBy(2) : pause;
    }
    Duration bounded = pause.compareTo(policy.longestPause()) < 0 ? pause : policy.longestPause();
    long nanos = bounded.toNanos();
    return Duration.ofNanos(nanos - nanos / 4 + (long) (nanos / 2.0 * spread(life)));
  }

  /** A number from 0 to 1 that looks random and is the same after every replay of the journal. */
  private static double spread(ClusterLife life) {
    long mixed = life.request().cluster().value().hashCode() * 31L + life.attempt();
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return ((mixed ^ (mixed >>> 31)) >>> 11) / (double) (1L << 53);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.Cause;
import dev.clustered.model.RestartCause;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What came of the attempts so far. Immutable.
 *
 * @param counted restarts among those that all causes share
 * @param own restarts after causes that have some of their own
 * @param ran whether the workload has run on every rank, or failed while it began to
 * @param failure why the current attempt is over, when another one is to follow
 * @param stage where the wait for that one is
 * @param furthest the largest number that an attempt gave as its progress
 * @param withoutProgress attempts in a row that gave no larger one
 * @param goingOn the ranks of the next attempt, by their numbers now; empty for all
 * @param joining what the ranks get that the next attempt has more, in the order of their numbers
 */
public record Tries(
    int counted,
    Map<RestartCause, Integer> own,
    boolean ran,
    Optional<Failure> failure,
    Stage stage,
    Optional<Long> furthest,
    int withoutProgress,
    List<Integer> goingOn,
    List<RankLife.Next> joining) {

  /** Where the wait for the next attempt is. */
  public enum Stage {
    /** There is none, or something of the attempt before still runs. */
    NOT_BEGUN,
    /** The pause runs. */
    PAUSE,
    /** The pause is over, and a node is lacking. */
    NODES,
    /** There is no node for one that is lost: it gives all of them back and waits in the queue. */
    REQUEUED
  }

  /**
   * Why an attempt is over.
   *
   * @param counts whether the restart counts
   * @param pause how long the next attempt waits when nothing of this one runs any more
   */
  public record Failure(Cause cause, RestartCause kind, boolean counts, Duration pause) {}

  static final Tries NONE =
      new Tries(
          0,
          new TreeMap<>(),
          false,
          Optional.empty(),
          Stage.NOT_BEGUN,
          Optional.empty(),
          0,
          List.of(),
          List.of());

  public Tries {
    own = Collections.unmodifiableMap(new TreeMap<>(own));
    goingOn = List.copyOf(goingOn);
    joining = List.copyOf(joining);
  }

  /** The workload has run. */
  Tries afterRunning() {
    return new Tries(
        counted, own, true, failure, stage, furthest, withoutProgress, goingOn, joining);
  }

  /** The current attempt is over. */
  Tries failing(Failure why, boolean shared) {
    Map<RestartCause, Integer> owned = new TreeMap<>(own);
    if (why.counts() && !shared) {
      owned.merge(why.kind(), 1, Integer::sum);
    }
    int common = counted + (why.counts() && shared ? 1 : 0);
    return new Tries(
        common,
        owned,
        ran,
        Optional.of(why),
        Stage.NOT_BEGUN,
        furthest,
        withoutProgress,
        List.of(),
        List.of());
  }

  /** An attempt got further than all before: restarts are given back. */
  Tries further(long progress) {
    return new Tries(
        0, new TreeMap<>(), ran, failure, stage, Optional.of(progress), 0, goingOn, joining);
  }

  /** An attempt got no further. */
  Tries noFurther() {
    return new Tries(
        counted, own, ran, failure, stage, furthest, withoutProgress + 1, goingOn, joining);
  }

  /** The same elsewhere in the wait. */
  Tries waiting(Stage now) {
    return new Tries(counted, own, ran, failure, now, furthest, withoutProgress, goingOn, joining);
  }

  /** The next attempt has these ranks alone. */
  Tries goingOnWith(List<Integer> ranks) {
    return new Tries(counted, own, ran, failure, stage, furthest, withoutProgress, ranks, joining);
  }

  /** The next attempt has these ranks more. */
  Tries joinedBy(List<RankLife.Next> more) {
    return new Tries(counted, own, ran, failure, stage, furthest, withoutProgress, goingOn, more);
  }

  /** Another attempt begins. */
  Tries again() {
    return new Tries(
        counted,
        own,
        ran,
        Optional.empty(),
        Stage.NOT_BEGUN,
        furthest,
        withoutProgress,
        List.of(),
        List.of());
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.core.lifecycle.RankLife.Progress;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.HangPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Whether a workload hangs, judged over all ranks that run. Silence alone says little: a workload
 * may compute for hours without a line. So it hangs when no rank writes anything and one of them
 * computes nothing either, while the others may well spin inside a collective that waits for it; or
 * when the heartbeat of a rank has stopped. A GPU that is busy proves nothing where a collective
 * may keep it so, see {@link StillGpus}. The end of a rank is a sign of life too: the others may
 * have waited for it in silence, and end a moment later. Ranks of roles that run until the others
 * end are asked for their heartbeat alone: to wait in silence is what they are there for.
 * Stateless.
 */
final class Hangs {

  /** A cause has a dozen sentences at most: these, how many more there are, and what is unseen. */
  private static final int MOST_RANKS = 10;

  private Hangs() {}

  /** A rank has ended; the machine has yet to know. */
  static void ended(Turn turn, int rank) {
    boolean watched = silenceLeft(turn.life(), turn.now()).isPositive();
    turn.changeRank(
        rank, r -> r.withStill(new RankLife.Still(RankReport.Still.NOTHING, turn.now())));
    if (!watched) {
      turn.life()
          .request()
          .spec()
          .hangPolicy()
          .ifPresent(
              policy ->
                  turn.command(new Command.WatchSilence(turn.life().attempt(), policy.silent())));
    }
  }

  /** Judged when all that the fact changes is known; watched on where a rank ended meanwhile. */
  static void silencePassed(Turn turn, int attempt) {
    Duration left = silenceLeft(turn.life(), turn.now());
    if (attempt == turn.life().attempt()
        && turn.life().state() == ClusterState.RUNNING
        && left.isPositive()) {
      turn.command(new Command.WatchSilence(attempt, left));
    }
  }

  /** For how long, since the last end of a rank, silence says nothing yet; zero or less if not. */
  private static Duration silenceLeft(ClusterLife life, Instant now) {
    Duration limit =
        life.request().spec().hangPolicy().map(HangPolicy::silent).orElse(Duration.ZERO);
    return life.ranks().stream()
        .filter(rank -> rank.progress() != Progress.RUNNING)
        .flatMap(rank -> rank.still().stream())
        .map(ended -> limit.minus(Duration.between(ended.at(), now)))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /** Why it hangs; empty when it does not, or when its specification does not ask. */
  static Optional<Cause> judge(ClusterLife life, Instant now) {
    Optional<HangPolicy> policy = life.request().spec().hangPolicy();
    List<RankLife> running =
        life.ranks().stream().filter(rank -> rank.progress() == Progress.RUNNING).toList();
    if (policy.isEmpty() || running.isEmpty()) {
      return Optional.empty();
    }
    List<RankLife> late = running.stream().filter(rank -> late(rank).isPresent()).toList();
    List<RankLife> expected = expected(life);
    // Nobody waits for anybody in a collective of one GPU: there the GPU computes for its rank.
    boolean alone = StillGpus.alone(life);
    List<RankLife> idle =
        expected.stream()
            .filter(rank -> idle(rank).isPresent() && !(alone && StillGpus.arrived(rank)))
            .toList();
    if (!late.isEmpty()) {
      RankLife culprit = worst(late);
      String why =
          "rank %d gave its last heartbeat %s ago, the limit is %s"
              .formatted(
                  culprit.rank(),
                  seconds(grown(culprit, Hangs::late, now)),
                  seconds(policy.get().heartbeat().orElse(Duration.ZERO)));
      return Optional.of(cause(life, running, culprit, now, why));
    }
    if (silenceLeft(life, now).isPositive()
        || idle.isEmpty()
        || !expected.stream().allMatch(rank -> quiet(rank).isPresent())) {
      return Optional.empty();
    }
    String why =
        "no rank that %s wrote anything for %s, and %s used no processor time"
            .formatted(
                expected.size() == running.size() ? "runs" : "is to end by itself",
                seconds(policy.get().silent()),
                count(idle.size(), expected));
    // Whoever has come into a collective is not the one that the others wait for there.
    List<RankLife> absent = expected.stream().filter(StillGpus::absent).toList();
    boolean allArrived = idle.stream().allMatch(StillGpus::arrived);
    RankLife culprit = worst(allArrived && !absent.isEmpty() ? absent : idle);
    why +=
        idle(culprit).isPresent()
            ? ", rank %d among them".formatted(culprit.rank())
            : ", while GPUs of rank %d were idle and theirs were busy".formatted(culprit.rank());
    return Optional.of(cause(life, running, culprit, now, why));
  }

  /** Those that run and are to end by themselves: a server may well wait in silence for ever. */
  private static List<RankLife> expected(ClusterLife life) {
    return Success.asked(life).stream()
        .filter(rank -> rank.progress() == Progress.RUNNING)
        .toList();
  }

  /**
   * What does not compute before what does, what may be waited for before what waits; then the
   * oldest heartbeat, the longest silence.
   */
  private static RankLife worst(List<RankLife> ranks) {
    return ranks.stream()
        .min(
            Comparator.comparing((RankLife rank) -> idle(rank).isEmpty())
                .thenComparing(rank -> !StillGpus.absent(rank))
                .thenComparing(StillGpus::arrived)
                .thenComparing(rank -> since(rank, Hangs::late))
                .thenComparing(rank -> since(rank, Hangs::quiet))
                .thenComparingInt(RankLife::rank))
        .orElseThrow();
  }

  private static Cause cause(
      ClusterLife life, List<RankLife> running, RankLife culprit, Instant now, String why) {
    List<String> evidence = new ArrayList<>();
    evidence.add(seen(culprit, now));
    running.stream()
        .filter(rank -> rank.rank() != culprit.rank())
        .limit(MOST_RANKS - 1)
        .forEach(rank -> evidence.add(seen(rank, now)));
    if (running.size() > MOST_RANKS) {
      evidence.add((running.size() - MOST_RANKS) + " more ranks run");
    }
    // Whoever has left may be whom the others wait for.
    List<RankLife> ended = life.ranks().stream().filter(rank -> rank.end().isPresent()).toList();
    ended.stream()
        .limit(MOST_RANKS)
        .map(rank -> "rank %d had ended with %s".formatted(rank.rank(), rank.end().orElseThrow()))
        .forEach(evidence::add);
    if (ended.size() > MOST_RANKS) {
      evidence.add((ended.size() - MOST_RANKS) + " more ranks had ended");
    }
    return new Cause(
        ErrorCode.HUNG, OptionalInt.of(culprit.rank()), Optional.empty(), why, evidence);
  }

  private static String seen(RankLife rank, Instant now) {
    String log =
        quiet(rank).isPresent()
            ? "wrote nothing for " + seconds(grown(rank, Hangs::quiet, now))
            : "wrote something within the limit";
    String processor =
        idle(rank)
            .map(used -> "used " + seconds(used) + " of processor time within the limit")
            .or(() -> computed(rank).map(used -> "computed " + seconds(used)))
            .orElse("its processor time cannot be seen");
    String heartbeat =
        late(rank).isPresent()
            ? ", its last heartbeat is " + seconds(grown(rank, Hangs::late, now)) + " old"
            : "";
    String gpus = StillGpus.seen(rank, now).map(words -> ", " + words).orElse("");
    return "rank %d on node %s %s, %s%s%s"
        .formatted(rank.rank(), rank.node(), log, processor, gpus, heartbeat);
  }

  private static String count(int idle, List<RankLife> running) {
    return idle == running.size() ? "all of them" : idle + " of " + running.size();
  }

  private static Optional<Duration> quiet(RankLife rank) {
    return rank.still().flatMap(still -> still.report().quiet());
  }

  private static Optional<Duration> idle(RankLife rank) {
    return rank.still().flatMap(still -> still.report().idle());
  }

  private static Optional<Duration> computed(RankLife rank) {
    return rank.still().flatMap(still -> still.report().computed());
  }

  private static Optional<Duration> late(RankLife rank) {
    return rank.still().flatMap(still -> still.report().late());
  }

  /** Since when by the engine's clock, so that those of different nodes can be compared. */
  private static Instant since(RankLife rank, Function<RankLife, Optional<Duration>> what) {
    return rank.still()
        .flatMap(still -> what.apply(rank).map(still.at()::minus))
        .orElse(Instant.MAX);
  }

  private static Duration grown(
      RankLife rank, Function<RankLife, Optional<Duration>> what, Instant now) {
    return Duration.between(since(rank, what), now);
  }

  static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.2f s", time.toMillis() / 1_000.0);
  }
}

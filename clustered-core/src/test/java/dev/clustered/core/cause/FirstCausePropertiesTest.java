// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ByteSize;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What holds for any evidence. */
class FirstCausePropertiesTest {

  private static final int TRIES = 500;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private RankEvidence evidence(int rank) {
    return switch (random.nextInt(9)) {
      case 0 -> Evidence.exited(rank, 0);
      case 1 -> Evidence.exited(rank, 1 + random.nextInt(255));
      case 2 -> Evidence.killed(rank, 1 + random.nextInt(15));
      case 3 -> Evidence.ended(rank, new ProcessEnd.Signal(6), Evidence.ABORT);
      case 4 -> Evidence.victim(rank);
      case 5 -> Evidence.lost(rank);
      case 6 -> Evidence.notStarted(rank);
      case 7 -> Evidence.endedByEngine(rank, new ProcessEnd.Signal(15));
      default -> Evidence.outOfMemory(rank, ByteSize.mebibytes(random.nextInt(1000)));
    };
  }

  /** Any ranks, heard of in any order, with clocks that are off by up to a day. */
  private List<RankEvidence> gang() {
    List<RankEvidence> ranks = new ArrayList<>();
    int size = 1 + random.nextInt(8);
    for (int rank = 0; rank < size; rank++) {
      RankEvidence one = Evidence.heard(evidence(rank), random.nextInt(size));
      ranks.add(skewed(one));
    }
    return ranks;
  }

  private RankEvidence skewed(RankEvidence one) {
    return Evidence.skewed(one, Duration.ofMinutes(random.nextInt(2880) - 1440L));
  }

  private String context(int attempt, List<RankEvidence> ranks) {
    return "seed %d, try %d: %s".formatted(seed, attempt, ranks);
  }

  @Test
  void theOrderOfTheListDoesNotMatter() {
    for (int i = 0; i < TRIES; i++) {
      List<RankEvidence> ranks = gang();
      Judgement judgement = FirstCause.of(ranks);
      List<RankEvidence> shuffled = new ArrayList<>(ranks);
      Collections.shuffle(shuffled, random);
      assertThat(FirstCause.of(shuffled)).as(context(i, ranks)).isEqualTo(judgement);
    }
  }

  @Test
  void nobodyWhoEndedWellIsTheCulpritAndSomebodyIsIfAnyoneFailed() {
    for (int i = 0; i < TRIES; i++) {
      List<RankEvidence> ranks = gang();
      Judgement judgement = FirstCause.of(ranks);
      boolean failed = ranks.stream().anyMatch(rank -> !rank.end().orElseThrow().success());
      assertThat(judgement.cause().isPresent()).as(context(i, ranks)).isEqualTo(failed);
      judgement
          .cause()
          .ifPresent(
              cause ->
                  assertThat(ranks.get(cause.rank().orElseThrow()).end().orElseThrow().success())
                      .isFalse());
      assertThat(judgement.victims())
          .as(context(i, ranks))
          .allSatisfy(
              victim -> {
                assertThat(ranks.get(victim).end().orElseThrow().success()).isFalse();
                assertThat(ranks.get(victim).by()).isEqualTo(EndedBy.ITSELF);
              });
    }
  }

  @Test
  void whomTheEngineEndedIsTheCulpritOnlyIfNobodyElseFailed() {
    for (int i = 0; i < TRIES; i++) {
      List<RankEvidence> ranks = gang();
      boolean byItself =
          ranks.stream()
              .anyMatch(rank -> rank.by() == EndedBy.ITSELF && !rank.end().orElseThrow().success());
      Optional<EndedBy> culprit =
          FirstCause.of(ranks).cause().map(cause -> ranks.get(cause.rank().orElseThrow()).by());
      assertThat(culprit.equals(Optional.of(EndedBy.ITSELF)))
          .as(context(i, ranks))
          .isEqualTo(byItself);
    }
  }

  @Test
  void anotherVictimChangesNothingButTheListOfVictims() {
    for (int i = 0; i < TRIES; i++) {
      List<RankEvidence> ranks = gang();
      Optional<Integer> culprit = rank(FirstCause.of(ranks));
      List<RankEvidence> more = new ArrayList<>(ranks);
      boolean byItself = culprit.filter(rank -> ranks.get(rank).by() == EndedBy.ITSELF).isPresent();
      more.add(Evidence.endedByEngine(ranks.size(), new ProcessEnd.Signal(9)));
      if (byItself) {
        more.add(Evidence.heard(skewed(Evidence.victim(ranks.size() + 1)), ranks.size()));
      }
      Judgement judgement = FirstCause.of(more);
      if (culprit.isPresent()) {
        assertThat(rank(judgement)).as(context(i, more)).isEqualTo(culprit);
      }
      if (byItself) {
        assertThat(judgement.victims()).as(context(i, more)).contains(ranks.size() + 1);
      }
    }
  }

  @Test
  void clocksThatAreOffChangeNothingWhileTheKindsDiffer() {
    for (int i = 0; i < TRIES; i++) {
      List<RankEvidence> ranks = new ArrayList<>();
      for (RankEvidence rank : gang()) {
        if (ranks.stream().noneMatch(other -> sameKind(other, rank))) {
          ranks.add(rank);
        }
      }
      Judgement judgement = FirstCause.of(ranks);
      List<RankEvidence> skewed = ranks.stream().map(this::skewed).toList();
      assertThat(FirstCause.of(skewed)).as(context(i, ranks)).isEqualTo(judgement);
    }
  }

  private static boolean sameKind(RankEvidence one, RankEvidence other) {
    return Finding.of(one).kind() == Finding.of(other).kind();
  }

  private static Optional<Integer> rank(Judgement judgement) {
    return judgement.cause().map(cause -> cause.rank().orElseThrow());
  }
}

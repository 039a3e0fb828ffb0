// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import static dev.clustered.core.cause.Evidence.ABORT;
import static dev.clustered.core.cause.Evidence.ended;
import static dev.clustered.core.cause.Evidence.endedByEngine;
import static dev.clustered.core.cause.Evidence.exited;
import static dev.clustered.core.cause.Evidence.heard;
import static dev.clustered.core.cause.Evidence.killed;
import static dev.clustered.core.cause.Evidence.lost;
import static dev.clustered.core.cause.Evidence.neverRan;
import static dev.clustered.core.cause.Evidence.notStarted;
import static dev.clustered.core.cause.Evidence.outOfMemory;
import static dev.clustered.core.cause.Evidence.skewed;
import static dev.clustered.core.cause.Evidence.victim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Cause;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.ProcessEnd.Code;
import dev.clustered.model.ProcessEnd.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One culprit, by the kind of evidence before the time. */
class FirstCauseTest {

  private static Cause cause(RankEvidence... ranks) {
    return FirstCause.of(List.of(ranks)).cause().orElseThrow();
  }

  private static int culprit(RankEvidence... ranks) {
    return cause(ranks).rank().orElseThrow();
  }

  @Test
  void namesTheOneThatFailedAmongThoseThatTheEngineEnded() {
    Judgement judgement =
        FirstCause.of(
            List.of(
                endedByEngine(0, new Signal(15)),
                endedByEngine(1, new Signal(9)),
                exited(2, 1),
                endedByEngine(3, new Code(5))));
    Cause cause = judgement.cause().orElseThrow();
    assertThat(cause.code()).isEqualTo(ErrorCode.RANK_FAILED);
    assertThat(cause.rank()).hasValue(2);
    assertThat(cause.end()).contains(new Code(1));
    assertThat(cause.message()).isEqualTo("rank 2 ended with exit code 1 on node n-2");
    assertThat(judgement.victims()).isEmpty();
    assertThat(cause.evidence())
        .containsExactly(
            "rank 2 ended with exit code 1 by itself",
            "ranks 0, 1, 3 failed when the engine ended the cluster");
  }

  @Test
  void namesTheCrashThoughAVictimWasHeardOfAndEndedBefore() {
    RankEvidence aborted = skewed(heard(ended(0, new Code(1), ABORT), 0), Duration.ofMillis(-50));
    Judgement judgement = FirstCause.of(List.of(aborted, heard(killed(3, 11), 1)));
    Cause cause = judgement.cause().orElseThrow();
    assertThat(cause.rank()).hasValue(3);
    assertThat(cause.end()).contains(new Signal(11));
    assertThat(judgement.victims()).containsExactly(0);
    assertThat(cause.evidence())
        .containsExactly(
            "rank 3 ended with signal 11 (SIGSEGV), which a program brings upon itself",
            "rank 0 failed after the log had told that a collective was aborted"
                + " (\"NCCL communicator was aborted\")");
  }

  @Test
  void saysThatMemoryRanOutAndHowMuchThereHadBeen() {
    Cause cause = cause(victim(0), outOfMemory(1, ByteSize.gibibytes(2)));
    assertThat(cause.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY);
    assertThat(cause.rank()).hasValue(1);
    assertThat(cause.end()).contains(new Signal(9));
    assertThat(cause.message()).endsWith("out of memory");
    assertThat(cause.evidence().getFirst()).contains(ByteSize.gibibytes(2).toString());
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 15, 2})
  void saysThatSomebodyElseSentASignalThatTheEngineDidNot(int signal) {
    Cause cause = cause(exited(0, 1), killed(1, signal));
    assertThat(cause.rank()).hasValue(1);
    assertThat(cause.code()).isEqualTo(ErrorCode.RANK_FAILED);
    assertThat(cause.evidence().getFirst()).contains("somebody else on the node");
  }

  @Test
  void holdsALostNodeAgainstEverythingThatWasHeardBefore() {
    Judgement judgement =
        FirstCause.of(List.of(killed(0, 11), exited(1, 1), victim(2), heard(lost(3), 9)));
    assertThat(judgement.cause().orElseThrow().code()).isEqualTo(ErrorCode.NODE_LOST);
    assertThat(judgement.cause().orElseThrow().rank()).hasValue(3);
    assertThat(judgement.victims()).containsExactly(0, 1, 2);
  }

  @Test
  void holdsAProcessThatCouldNotStartAgainstThoseThatWaitedForIt() {
    Cause cause = cause(killed(0, 6), notStarted(1));
    assertThat(cause.code()).isEqualTo(ErrorCode.START_FAILED);
    assertThat(cause.message()).isEqualTo("rank 1 could not start (code 127): no such file");
  }

  @Test
  void takesAnAbortForACrashUnlessACollectiveWasAborted() {
    assertThat(culprit(exited(0, 1), killed(1, 6))).isEqualTo(1);
    assertThat(culprit(ended(0, new Signal(6), ABORT), exited(1, 1))).isEqualTo(1);
  }

  @Test
  void takesAWriteToAPeerThatHadGoneForAConsequence() {
    assertThat(culprit(killed(0, 13), exited(1, 1))).isEqualTo(1);
  }

  @Test
  void namesAVictimIfNobodyFailedInAnotherWay() {
    Judgement judgement = FirstCause.of(List.of(heard(victim(0), 1), heard(victim(1), 0)));
    assertThat(judgement.cause().orElseThrow().rank()).hasValue(1);
    assertThat(judgement.victims()).containsExactly(0);
  }

  @Test
  void namesOneThatTheEngineEndedIfNobodyElseFailed() {
    assertThat(culprit(exited(0, 0), endedByEngine(1, new Signal(15)))).isEqualTo(1);
  }

  @Test
  void namesNobodyIfNobodyFailed() {
    assertThat(FirstCause.of(List.of()).cause()).isEmpty();
    assertThat(FirstCause.of(List.of(exited(0, 0), neverRan(1))).cause()).isEmpty();
  }

  @Test
  void isNoSuccessBecauseTheLeaderSucceeded() {
    assertThat(culprit(exited(0, 0), exited(1, 0), exited(2, 0), exited(3, 1))).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void namesWhicheverRankFails(int culprit) {
    RankEvidence[] ranks =
        IntStream.range(0, 4)
            .mapToObj(rank -> exited(rank, rank == culprit ? 3 : 0))
            .toArray(RankEvidence[]::new);
    assertThat(culprit(ranks)).isEqualTo(culprit);
    assertThat(cause(ranks).end()).contains(new Code(3));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 126, 127, 128, 134, 137, 139, 143, 255})
  void keepsACodeApartFromTheSignalThatAShellWouldMakeOfIt(int code) {
    Cause cause = cause(exited(0, code), killed(1, 11));
    assertThat(cause.rank()).hasValue(1);
    assertThat(cause(exited(0, code)).end()).contains(new Code(code));
    assertThat(cause(exited(0, code)).evidence())
        .containsExactly("rank 0 ended with exit code " + code + " by itself");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
  void keepsEverySignal(int signal) {
    assertThat(cause(killed(0, signal)).end()).contains(new Signal(signal));
    assertThat(cause(killed(0, signal)).evidence().getFirst())
        .startsWith("rank 0 ended with signal " + signal);
  }

  @Test
  void decidesEqualKindsByWhoWasHeardOfFirstThenByClocksThenByRank() {
    RankEvidence early = skewed(exited(0, 1), Duration.ofHours(-3));
    assertThat(culprit(heard(early, 1), heard(exited(1, 1), 0))).isEqualTo(1);
    RankEvidence late = skewed(exited(0, 1), Duration.ofSeconds(1));
    assertThat(culprit(heard(late, 0), heard(exited(1, 1), 0))).isEqualTo(1);
    assertThat(culprit(heard(exited(4, 1), 0), heard(exited(2, 1), 0))).isEqualTo(2);
  }

  @Test
  void staysShortHoweverManyRanksThereAre() {
    List<RankEvidence> ranks = new ArrayList<>(List.of(killed(0, 11)));
    IntStream.range(1, 5000).forEach(rank -> ranks.add(victim(rank)));
    Judgement judgement = FirstCause.of(ranks);
    assertThat(judgement.victims()).hasSize(4999);
    assertThat(judgement.cause().orElseThrow().evidence())
        .hasSize(2)
        .allSatisfy(sentence -> assertThat(sentence).hasSizeLessThan(200))
        .last()
        .asString()
        .startsWith("ranks 1, 2, 3, 4, 5, 6, 7, 8 and 4991 more failed after");
  }

  @Test
  void showsAnEndThatNobodyKnows() {
    ProcessEnd unknown = new ProcessEnd.Unknown("its instance ended");
    assertThat(cause(ended(2, unknown, "")).message())
        .isEqualTo("node n-2 of rank 2 is lost: its instance ended");
  }
}

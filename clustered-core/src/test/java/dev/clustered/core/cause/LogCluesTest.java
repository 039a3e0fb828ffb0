// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.clustered.model.ProcessEnd;
import dev.clustered.model.ProcessEnd.Code;
import dev.clustered.model.ProcessEnd.Signal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The last lines of a log tell whether a peer had gone before, and how a launcher's child ended.
 */
class LogCluesTest {

  private static final String TABLE =
      """
      ============================================================
      train.py FAILED
      ------------------------------------------------------------
      Failures:
      [1]:
        time      : 2026-01-15_05:44:28
        rank      : 1 (local_rank: 1)
        exitcode  : 1 (pid: 6175)
      ------------------------------------------------------------
      Root Cause (first observed failure):
      [0]:
        time      : 2026-01-15_05:44:28
        host      : node-1
        rank      : 0 (local_rank: 0)
        exitcode  : %s (pid: 6174)
        error_file: <N/A>
        traceback : Signal 11 (SIGSEGV) received by PID 6174
      ============================================================
      """;

  static List<LogPattern> patterns() {
    return LogPattern.ALL;
  }

  private static LogClues clues(String log) {
    return LogClues.of(log, 7);
  }

  @Test
  void theRankThatAbortedTheJobItselfHadLostNoPeer() {
    String abort = "MPI_ABORT was invoked on rank 7 in communicator MPI_COMM_WORLD\n";
    assertThat(LogClues.of(abort, 7).gone()).isEmpty();
    assertThat(LogClues.of(abort, 0).gone()).isPresent();
  }

  @ParameterizedTest
  @MethodSource("patterns")
  void everyPatternIsFoundInALineOfItsWords(LogPattern pattern) {
    String line = "[rank3] " + String.join(" 127.0.0.1: ", pattern.parts()) + ". Bye";
    assertThat(clues("step 7\n" + line + "\nframe #0: x\n").gone()).contains(pattern);
    assertThat(clues(String.join("\n", pattern.parts().reversed())).gone().isPresent())
        .as("parts in another order or on other lines")
        .isEqualTo(pattern.parts().size() == 1);
    assertThat(pattern.source()).contains(", ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "loss=0.1\n",
        "requests.exceptions.ConnectionError: Connection reset by peer\n",
        "torch.OutOfMemoryError: CUDA out of memory.\n",
        "NCCL watchdog thread terminated with exception: CUDA error: an illegal memory access\n"
      })
  void whatARankBringsUponItselfIsNoPeerThatHadGone(String log) {
    assertThat(clues(log)).isEqualTo(new LogClues(Optional.empty(), Optional.empty()));
  }

  @Test
  void whatWasWrittenLongBeforeTheEndDoesNotCount() {
    String before = Evidence.CLOSED;
    assertThat(clues(before + "step\n".repeat(LogClues.MOST_LINES)).gone()).isEmpty();
    assertThat(clues(before + "step\n".repeat(LogClues.MOST_LINES - 1)).gone()).isPresent();
    assertThat(clues(before + "x".repeat(LogClues.MOST_CHARACTERS)).gone()).isEmpty();
  }

  @Test
  void readsTheEndOfItsChildFromTorchrunsTable() {
    assertThat(clues(TABLE.formatted("-11")).child()).contains(new Signal(11));
    assertThat(clues(TABLE.formatted("3")).child()).contains(new Code(3));
    assertThat(clues(TABLE.formatted("<N/A>")).child()).isEmpty();
    assertThat(clues(TABLE.formatted("-")).child()).isEmpty();
  }

  @Test
  void theEndOfALaunchersOwnChildIsThatOfTheRank() {
    ProcessEnd one = new Code(1);
    String lostOthers = "torch.distributed.elastic.rendezvous.api.RendezvousClosedError\n";
    assertThat(kind(one, TABLE.formatted("-11"))).isEqualTo(Finding.Kind.SIGNAL);
    assertThat(kind(one, lostOthers)).isEqualTo(Finding.Kind.PEER_GONE);
    assertThat(kind(one, lostOthers + TABLE.formatted("1"))).isEqualTo(Finding.Kind.EXIT);
  }

  @Test
  void whatTheSiblingsOfACrashedChildWroteMakesItNoVictim() {
    String log = Evidence.CLOSED + TABLE;
    assertThat(kind(new Code(1), log.formatted("-11"))).isEqualTo(Finding.Kind.SIGNAL);
    assertThat(kind(new Code(1), log.formatted("-6"))).isEqualTo(Finding.Kind.PEER_GONE);
    assertThat(kind(new Code(1), log.formatted("1"))).isEqualTo(Finding.Kind.PEER_GONE);
  }

  private static Finding.Kind kind(ProcessEnd end, String log) {
    return Finding.of(Evidence.ended(0, end, log)).kind();
  }

  @Test
  void anyBytesAreLookedAt() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[random.nextInt(5_000)];
      random.nextBytes(bytes);
      String log = new String(bytes, StandardCharsets.UTF_8) + "\0\r\uFFFD\uD800";
      assertThatCode(() -> clues(log)).as("seed %d, try %d", seed, i).doesNotThrowAnyException();
      assertThat(clues(log + "\n" + Evidence.CLOSED + "\0").gone()).isPresent();
    }
  }

  @Test
  void tenMegabytesWithoutALineEndTakeNoLongerThanTheirEnd() {
    String flood = "exitcode ".repeat(1_200_000);
    assertTimeout(
        Duration.ofSeconds(5),
        () -> {
          for (int i = 0; i < 100; i++) {
            assertThat(clues(flood).gone()).isEmpty();
          }
        });
    assertThat(clues(flood + Evidence.CLOSED).gone()).isPresent();
  }
}

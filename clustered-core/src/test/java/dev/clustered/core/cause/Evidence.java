// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import dev.clustered.model.ByteSize;
import dev.clustered.model.NodeId;
import dev.clustered.model.OutOfMemory;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Short words for what is known of ranks. */
final class Evidence {

  static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");

  /** As NCCL's watchdog has it under PyTorch. */
  static final String ABORT =
      """
      [rank0]:[E ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: \
      WorkNCCL(SeqNum=7, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600081 milliseconds
      RuntimeError: NCCL communicator was aborted on rank 0.
      """;

  /** As Gloo has it under PyTorch. */
  static final String CLOSED =
      "RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer"
          + " [127.0.0.1]:58054\n";

  private Evidence() {}

  static RankEvidence exited(int rank, int code) {
    return ended(rank, new ProcessEnd.Code(code), "");
  }

  static RankEvidence killed(int rank, int signal) {
    return ended(rank, new ProcessEnd.Signal(signal), "");
  }

  static RankEvidence ended(int rank, ProcessEnd end, String log) {
    return new RankEvidence(
        rank,
        new NodeId("n-" + rank),
        Optional.of(end),
        Optional.of(NOON),
        rank,
        EndedBy.ITSELF,
        Optional.empty(),
        log);
  }

  /** It failed with code 1 after it had seen a peer go. */
  static RankEvidence victim(int rank) {
    return ended(rank, new ProcessEnd.Code(1), CLOSED);
  }

  static RankEvidence lost(int rank) {
    return ended(rank, new ProcessEnd.Unknown("silent for 15 s"), "");
  }

  static RankEvidence notStarted(int rank) {
    return ended(rank, new ProcessEnd.NotStarted(127, "no such file"), "");
  }

  static RankEvidence endedByEngine(int rank, ProcessEnd end) {
    RankEvidence one = ended(rank, end, "");
    return new RankEvidence(
        rank, one.node(), one.end(), one.at(), one.heard(), EndedBy.ENGINE, Optional.empty(), "");
  }

  static RankEvidence neverRan(int rank) {
    return new RankEvidence(
        rank,
        new NodeId("n-" + rank),
        Optional.empty(),
        Optional.empty(),
        RankEvidence.NEVER_HEARD,
        EndedBy.ITSELF,
        Optional.empty(),
        "");
  }

  static RankEvidence outOfMemory(int rank, ByteSize peak) {
    RankEvidence one = killed(rank, 9);
    return new RankEvidence(
        rank,
        one.node(),
        one.end(),
        one.at(),
        one.heard(),
        one.by(),
        Optional.of(new OutOfMemory(Optional.of(peak))),
        "");
  }

  static RankEvidence heard(RankEvidence one, int place) {
    return new RankEvidence(
        one.rank(),
        one.node(),
        one.end(),
        one.at(),
        place,
        one.by(),
        one.outOfMemory(),
        one.logTail());
  }

  /** As a node has it whose clock is off. */
  static RankEvidence skewed(RankEvidence one, Duration by) {
    return new RankEvidence(
        one.rank(),
        one.node(),
        one.end(),
        one.at().map(at -> at.plus(by)),
        one.heard(),
        one.by(),
        one.outOfMemory(),
        one.logTail());
  }
}

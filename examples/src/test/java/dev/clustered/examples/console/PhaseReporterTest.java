// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.model.WaitReason;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class PhaseReporterTest {
  private static final ClusterId CLUSTER = new ClusterId("c1");
  private static final Instant AT = Instant.EPOCH;

  @Test
  void showsEveryKindOfEventAsALine() {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    PhaseReporter reporter =
        new PhaseReporter(new RunPrinter(new PrintStream(shown, true, UTF_8), Screen.PLAIN, 1));
    events().forEach(reporter::on);

    assertThat(shown.toString(UTF_8).lines())
        .containsExactly(
            "queued     asked for 4 nodes",
            "waiting    2 earlier gangs wait; the first is c0",
            "ready      node n1, 1 of 4",
            "files      rank 3, 0 B of 5 MiB",
            "started    rank 3, process 4711",
            "ended      rank 3, signal 9",
            "verdict    failed: rank 3 was killed");
  }

  private static List<ClusterEvent> events() {
    ProcessEnd killed = new ProcessEnd.Signal(9);
    Cause cause =
        new Cause(ErrorCode.INTERNAL, OptionalInt.of(3), Optional.of(killed), "rank 3 was killed");
    return List.of(
        new ClusterEvent.StateChanged(CLUSTER, AT, ClusterState.QUEUED, "asked for 4 nodes"),
        new ClusterEvent.Waiting(
            CLUSTER, AT, List.of(new WaitReason.Behind(2, new ClusterId("c0")))),
        new ClusterEvent.NodeReady(CLUSTER, AT, new NodeId("n1"), 1, 4),
        new ClusterEvent.FilesReceived(CLUSTER, AT, 1, 3, new ByteSize(0), ByteSize.mebibytes(5)),
        new ClusterEvent.RankStarted(CLUSTER, AT, 1, 3, 4711),
        new ClusterEvent.RankEnded(CLUSTER, AT, 1, 3, killed, RankExit.EndedBy.ITSELF),
        new ClusterEvent.Verdict(CLUSTER, AT, ClusterExit.Outcome.FAILED, Optional.of(cause)));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.agentOf;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static dev.clustered.backend.local.Gangs.signal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.model.RankExit.Part;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The exit names the culprit, even if the engine hears of a victim first. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class CulpritTest {

  /** Each waits for a file of its rank; what rank 0 writes is what NCCL does under PyTorch. */
  private static final String FAIL_WHEN_ASKED =
      """
      until test -e "$MEETING/$NODE_RANK"; do sleep 0.02; done
      case $NODE_RANK in
        0) echo '[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)'
           echo 'RuntimeError: NCCL communicator was aborted on rank 0.'
           exit 1;;
        3) kill -s SEGV $$;;
      esac
      """;

  /** Agents are held while their ranks die, so that the engine hears of both and ends neither. */
  @Test
  void namesTheCrashedRankThoughAnotherAbortedBefore() throws Exception {
    Events events = new Events();
    try (Meeting meeting = Meeting.open();
        ClusterEngine engine =
            on(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory()).open();
        Cluster cluster =
            engine
                .launch(shell(4, FAIL_WHEN_ASKED).environment("MEETING", meeting.path()).build())
                .withListener(events)
                .await()) {
      ProcessHandle[] held = {agentOf(events.process(3)), agentOf(events.process(0))};
      signal("STOP", held);
      try {
        for (int rank : new int[] {0, 3}) {
          Files.createFile(meeting.directory().resolve(Integer.toString(rank)));
          Eventually.within(Gangs.PATIENCE)
              .isTrue(rank + " has died", () -> !Gangs.runs(events.process(rank)));
        }
      } finally {
        signal("CONT", held);
      }
      assertCulprit(cluster.join());
    }
  }

  private static void assertCulprit(ClusterExit exit) {
    assertThat(exit.ranks())
        .as("%s", exit)
        .extracting(RankExit::part)
        .containsExactly(Part.VICTIM, Part.STOPPED, Part.STOPPED, Part.CULPRIT);
    Cause cause = exit.cause().orElseThrow();
    assertThat(cause.code()).isEqualTo(ErrorCode.RANK_FAILED);
    assertThat(cause.rank()).hasValue(3);
    assertThat(cause.end()).contains(new ProcessEnd.Signal(11));
    assertThat(exit.exitCode()).isEqualTo(139);
    assertThat(cause.evidence().getFirst()).startsWith("rank 3 ended with signal 11 (SIGSEGV)");
    assertThat(cause.evidence()).anyMatch(sentence -> sentence.startsWith("rank 0 failed after"));
  }
}

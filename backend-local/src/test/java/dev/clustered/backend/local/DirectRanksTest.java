// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Launcher;
import dev.clustered.model.ProcessEnd;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several real processes on each node, which are the rank together. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class DirectRanksTest {

  private static ClusterSpec.Builder spec(int nodes, int processes, String line) {
    return ClusterSpec.builder("direct")
        .nodes(nodes)
        .launcher(Launcher.direct(processes))
        .script(line)
        .grace(Duration.ofSeconds(10));
  }

  @Test
  void everyProcessHasTheVariablesOfATorchrunWorker() throws Exception {
    String show =
        "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $GROUP_RANK $GROUP_WORLD_SIZE"
            + " $NODE_RANK $ROLE_RANK $ROLE_WORLD_SIZE $ROLE_NAME $MASTER_ADDR $MASTER_PORT"
            + " ${CUDA_VISIBLE_DEVICES-left-alone}";
    try (Cluster cluster = Clusters.launch(spec(2, 3, show).build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      for (int node = 0; node < 2; node++) {
        List<String> lines = Logs.of(cluster, node);
        String port = lines.getFirst().split(" ")[11];
        List<String> expected = new ArrayList<>();
        for (int local = 0; local < 3; local++) {
          int rank = 3 * node + local;
          expected.add(
              "%d %d 6 3 %d 2 %d %d 6 default %s %s left-alone"
                  .formatted(rank, local, node, node, rank, cluster.leader().address(), port));
        }
        assertThat(lines).containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }

  @Test
  void aSignalOfOneProcessIsTheEndOfTheRankAndEndsTheOthersWithTheirGrace() throws Exception {
    String line =
        """
        if [ "$RANK" = 3 ]; then
          until [ -e "../work/ready.$((LOCAL_RANK - 1))" ]; do sleep 0.02; done
          kill -s SEGV $$
        fi
        trap 'echo asked to end $RANK; exit 0' TERM
        touch "ready.$LOCAL_RANK"
        while :; do sleep 0.05; done
        """;
    try (Cluster cluster = Clusters.launch(spec(2, 2, line).build()).await()) {
      ClusterExit exit = cluster.join();
      Cause cause = exit.cause().orElseThrow();
      assertThat(cause.code()).isEqualTo(ErrorCode.RANK_FAILED);
      assertThat(cause.rank()).hasValue(1);
      assertThat(cause.end()).contains(new ProcessEnd.Signal(11));
      assertThat(Logs.of(cluster, 1))
          .contains(
              "asked to end 2",
              "clustered: rank 1: the process with LOCAL_RANK 1 ended by signal 11; the others are"
                  + " ended");
    }
  }

  @Test
  void aCodeThatLooksLikeASignalStaysACode() throws Exception {
    String line = "if [ $LOCAL_RANK = 1 ]; then exit 139; fi; exec sleep 1000";
    try (Cluster cluster = Clusters.launch(spec(1, 2, line).build()).await()) {
      assertThat(cluster.join().cause().orElseThrow().end()).contains(new ProcessEnd.Code(139));
    }
  }

  @Test
  void aRankSucceedsOnlyWhenItsLastProcessHas() throws Exception {
    String line =
        """
        if [ "$LOCAL_RANK" = 0 ]; then touch first; exit 0; fi
        until [ -e first ]; do sleep 0.02; done
        sleep 0.3
        exit 4
        """;
    try (Cluster cluster = Clusters.launch(spec(1, 2, line).build()).await()) {
      assertThat(cluster.join().cause().orElseThrow().end()).contains(new ProcessEnd.Code(4));
    }
  }

  @Test
  void linesOfManyProcessesAreNotTorn() throws Exception {
    String line =
        """
        text=$(printf '%01000d' "$LOCAL_RANK" | tr 0 x)
        i=0
        while [ $i -lt 200 ]; do
          echo "begin $LOCAL_RANK $i $text end"
          i=$((i + 1))
        done
        """;
    try (Cluster cluster = Clusters.launch(spec(1, 8, line).build()).await()) {
      assertThat(cluster.join().success()).isTrue();
      List<String> lines = Logs.of(cluster, 0);
      assertThat(lines).hasSize(1_600).allMatch(l -> l.matches("begin \\d \\d+ x+\\d? end"));
      assertThat(lines).doesNotHaveDuplicates();
    }
  }

  @Test
  void aProgramThatIsNotThereIsNamed() {
    ClusterSpec spec =
        ClusterSpec.builder("x").launcher(Launcher.direct(3)).command("no-such-program").build();
    assertThatThrownBy(() -> Clusters.launch(spec).await().close())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.START_FAILED))
        .hasMessageContaining("no-such-program");
  }

  @Test
  void aStopReachesEveryProcess() throws Exception {
    String line =
        """
        trap 'echo asked to end $LOCAL_RANK; exit 0' TERM
        echo ready
        while :; do sleep 0.05; done
        """;
    try (Cluster cluster = Clusters.launch(spec(1, 3, line).build()).await()) {
      Eventually.within(Gangs.PATIENCE)
          .isTrue(
              "all are ready",
              () -> Logs.of(cluster, 0).stream().filter("ready"::equals).count() == 3);
      cluster.stop(Duration.ofSeconds(10));
      assertThat(Logs.of(cluster, 0))
          .contains("asked to end 0", "asked to end 1", "asked to end 2")
          .noneMatch(l -> l.startsWith("clustered:"));
    }
  }
}

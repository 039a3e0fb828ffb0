// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Launcher;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** How rank 0 has commands run on other nodes, by a program in the place of mpirun. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class RemoteCommandsTest {

  private static final String OTHERS =
      """
      remote() { $OMPI_MCA_plm_rsh_agent "$@"; }
      second=$(echo "$CLUSTERED_ADDRESSES" | cut -d, -f2)
      third=$(echo "$CLUSTERED_ADDRESSES" | cut -d, -f3)
      """;

  @TempDir Path programs;

  private ClusterSpec spec(String mpirun) throws Exception {
    return ClusterSpec.builder("remote")
        .nodes(3)
        .launcher(Launcher.mpi())
        .command("program")
        .environment("PATH", Programs.path(programs, "mpirun", OTHERS + mpirun))
        .environment("OF_MY_OWN", "a  value")
        .grace(Duration.ofSeconds(5))
        .build();
  }

  private static List<String> shown(Cluster cluster) throws InterruptedException {
    ClusterExit exit = cluster.join();
    assertThat(exit.success()).as("%s %s", exit, Logs.of(cluster, 0)).isTrue();
    return Logs.of(cluster, 0);
  }

  @Test
  void bothStreamsTheCodeAndTheVariablesOfTheRankComeThrough() throws Exception {
    String mpirun =
        """
        remote "$third" 'echo "out $CLUSTERED_RANK $OF_MY_OWN"; echo err >&2; exit 7' 2>errors
        echo "code $? $(cat errors)"
        remote "$second" 'kill -s KILL $$'
        echo "code $?"
        """;
    try (Cluster cluster = Clusters.launch(spec(mpirun)).await()) {
      assertThat(shown(cluster)).containsExactly("out 2 a  value", "code 7 err", "code 137");
    }
  }

  @Test
  void manyCommandsRunAtOnceAndMayWriteMuch() throws Exception {
    String mpirun =
        """
        for i in 1 2 3 4 5 6; do
          remote "$second" "head -c 1000000 /dev/zero; exit $i" >"out.$i" &
          pids="$pids $!"
        done
        for pid in $pids; do wait "$pid"; codes="$codes $?"; done
        echo "$codes $(cat out.* | wc -c)"
        """;
    try (Cluster cluster = Clusters.launch(spec(mpirun)).await()) {
      assertThat(shown(cluster)).containsExactly(" 1 2 3 4 5 6 6000000");
    }
  }

  @Test
  void followersEndWellWithTheLeaderAndWhatTheyStartedEndsToo() throws Exception {
    String mpirun =
        """
        remote "$second" 'sleep 1000 & sleep 1000' &
        remote "$third" 'echo there'
        """;
    try (Cluster cluster = Clusters.launch(spec(mpirun)).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).isTrue();
      assertThat(exit.ranks())
          .extracting(RankExit::end)
          .containsOnly(Optional.of(new ProcessEnd.Code(0)));
      assertThat(exit.ranks()).extracting(RankExit::by).containsOnly(RankExit.EndedBy.ITSELF);
    }
  }

  @Test
  void aHostThatIsNoAddressIsRefusedAndLooksNothingUp() throws Exception {
    String mpirun =
        """
        remote example.invalid true 2>&1
        echo "code $?"
        """;
    try (Cluster cluster = Clusters.launch(spec(mpirun)).await()) {
      assertThat(shown(cluster))
          .containsExactly(
              "clustered: \"example.invalid\" is not the address of a node of this cluster",
              "code 255");
    }
  }

  @Test
  void onlyTheLeaderListensAndOnlyOnItsOwnAddress() throws Exception {
    String mpirun =
        """
        remote "$second" true
        remote "$third" true
        port=$(printf '%04X' $((MASTER_PORT + 1)))
        cat /proc/net/tcp /proc/net/tcp6 | awk -v port=":$port" \\
          '$4 == "0A" && index($2, port) { print "listens", substr($2, length($2) - 12, 8) }'
        for worker in Leader Follower; do
          for process in $(pgrep -f "clustered.agent.worker.$worker $MASTER_ADDR "); do
            for socket in $(ls -l "/proc/$process/fd" | sed -n 's/.*socket:\\[\\(.*\\)\\]/\\1/p'); do
              cat /proc/net/tcp /proc/net/tcp6 | awk -v inode="$socket" -v who=$worker \\
                '$4 == "0A" && $10 == inode { print who, "listens" }'
            done
          done
        done
        """;
    try (Cluster cluster = Clusters.launch(spec(mpirun)).await()) {
      String[] parts = cluster.leader().address().split("\\.");
      String reversed =
          "%02X%02X%02X%02X"
              .formatted(
                  Integer.parseInt(parts[3]),
                  Integer.parseInt(parts[2]),
                  Integer.parseInt(parts[1]),
                  Integer.parseInt(parts[0]));
      assertThat(shown(cluster)).containsExactly("listens " + reversed, "Leader listens");
    }
  }

  @Test
  void whoDoesNotKnowTheSecretGetsNothingDone() throws Exception {
    String mpirun =
        """
        remote "$second" true
        python3 - "$MASTER_ADDR" $((MASTER_PORT + 1)) <<'END'
        import socket, sys
        s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        s.recv(32)
        s.sendall((4).to_bytes(4, "big") + bytes([127, 0, 0, 9]) + bytes(64))
        print("answer", s.recv(32))
        END
        """;
    try (Cluster cluster = Clusters.launch(spec(mpirun)).await()) {
      assertThat(shown(cluster)).containsExactly("answer b''");
    }
  }

  @Test
  void theUsersPortIsFreeWhenItsProgramStarts() throws Exception {
    String mpirun =
        """
        remote "$second" true
        port=$(printf ':%04X' "$MASTER_PORT")
        cat /proc/net/tcp /proc/net/tcp6 | awk -v port="$port" 'index($2, port) { print "used" }'
        echo looked
        """;
    try (Cluster cluster = Clusters.launch(spec(mpirun)).await()) {
      assertThat(shown(cluster)).containsExactly("looked");
    }
  }
}

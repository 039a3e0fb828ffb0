// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.Volume;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Files and volumes of the specification on whole clusters. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class FilesTest {

  @TempDir private Path directory;

  @Test
  void filesArriveByteForByteOnEveryRankAndMayBeWrittenByTheRank() throws Exception {
    byte[] content = new byte[5_000_000];
    long seed = System.nanoTime();
    System.out.println("seed: " + seed);
    new Random(seed).nextBytes(content);
    ClusterSpec spec =
        ClusterSpec.builder("x")
            .nodes(2)
            .file("deep/in a/größe.bin", content)
            .file("empty", new byte[0])
            .command("sh", "-c", "test -w empty && ! test -s empty && cat deep/*/*.bin")
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      for (int rank = 0; rank < 2; rank++) {
        try (LogStream log = cluster.logs(LogQuery.ofRank(rank))) {
          byte[] arrived = log.bytes().readAllBytes();
          assertThat(Arrays.mismatch(arrived, content)).as("first different byte").isEqualTo(-1);
        }
      }
    }
  }

  @Test
  void aVolumeIsSeenByAllRanksAndOutlivesTheClusterWithWhatTheyWrote() throws Exception {
    Files.writeString(directory.resolve("before"), "there before");
    ClusterSpec spec =
        ClusterSpec.builder("x")
            .nodes(3)
            .volume(new Volume("mnt/data", directory.toString()))
            .command("sh", "-c", "cat mnt/data/before; echo $NODE_RANK > mnt/data/rank-$NODE_RANK")
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      assertThat(exit.ranks().get(2).logTail()).isEqualTo("there before");
    }
    assertThat(directory.resolve("before")).hasContent("there before");
    for (int rank = 0; rank < 3; rank++) {
      assertThat(directory.resolve("rank-" + rank)).hasContent(rank + "\n");
    }
  }

  @Test
  void aVolumeWithoutItsSourceFailsTheLaunchNamingNodeAndSourceAndLeavesNothing() {
    String source = directory.resolve("nowhere").toString();
    ClusterSpec spec =
        ClusterSpec.builder("x").nodes(2).volume(new Volume("d", source)).command("true").build();
    assertThatThrownBy(() -> Clusters.launch(spec).await().close())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PREPARE_FAILED))
        .hasMessageContainingAll("volume d", source, "node");
  }

  @Test
  void everyImpossiblePathIsRefusedAtOnceWithItsField() {
    ClusterSpec.Builder spec =
        ClusterSpec.builder("x")
            .command("true")
            .file("../outside", new byte[0])
            .file("data/file", new byte[0])
            .volume(new Volume("data", "/srv"))
            .volume(new Volume("same", "/srv"))
            .volume(new Volume("./same", "/srv"))
            .volume(new Volume("/absolute", "/srv"));
    assertThatThrownBy(spec::build)
        .isInstanceOfSatisfying(
            InvalidSpecException.class,
            e ->
                assertThat(e.problems())
                    .extracting(InvalidSpecException.Problem::field)
                    .containsExactly("file", "volume", "volume", "volume"));
  }
}

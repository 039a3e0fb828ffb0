// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Launcher;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.testkit.NothingLeft;
import dev.clustered.testkit.RealPart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A real Open MPI on nodes with an address each, without ssh. */
@Tag("integration")
@Timeout(180)
@ExtendWith(NothingLeft.class)
class MpiTest {

  /** Adds all ranks up, says who it is, and ends as it is told: fine, with a code, or aborting. */
  private static final String SOURCE =
      """
      #include <mpi.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>

      static const char *value(const char *name) {
        const char *found = getenv(name);
        return found ? found : "absent";
      }

      int main(int count, char **arguments) {
        int rank, size, sum;
        FILE *file = fopen("given.txt", "r");
        MPI_Init(&count, &arguments);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        printf("process %d of %d sum %d node %s own %s file %s\\n", rank, size, sum,
               value("CLUSTERED_RANK"), value("OF_MY_OWN"), file ? "there" : "absent");
        fflush(stdout);
        if (rank == 3 && !strcmp(arguments[1], "abort")) MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        return rank == 3 && !strcmp(arguments[1], "three") ? 3 : 0;
      }
      """;

  @TempDir Path directory;
  private Path program = Path.of("");

  @BeforeEach
  void compile() throws Exception {
    RealPart.executable("mpirun").require();
    Path compiler = RealPart.executable("mpicc").require();
    Path source = Files.writeString(directory.resolve("one.c"), SOURCE);
    program = directory.resolve("one");
    Process process =
        new ProcessBuilder(compiler.toString(), "-o", program.toString(), source.toString())
            .inheritIO()
            .start();
    assertThat(process.waitFor()).isZero();
  }

  private ClusterSpec spec(String how) {
    return ClusterSpec.builder("mpi")
        .nodes(3)
        .launcher(Launcher.mpi(2))
        .command("--oversubscribe", program.toString(), how)
        .environment("OF_MY_OWN", "a value")
        .file("given.txt", "x".getBytes(UTF_8))
        .grace(Duration.ofSeconds(5))
        .timeLimit(Duration.ofMinutes(2))
        .build();
  }

  @Test
  void allProcessesOfAllNodesAreOneWorldWithTheUsersVariablesAndFiles() throws Exception {
    try (Cluster cluster = Clusters.launch(spec("fine")).await()) {
      ClusterExit exit = cluster.join();
      List<String> lines = Logs.of(cluster, 0);
      assertThat(exit.success()).as("%s %s", exit, lines).isTrue();
      assertThat(exit.ranks())
          .extracting(RankExit::end)
          .containsOnly(Optional.of(new ProcessEnd.Code(0)));
      List<String> expected = new ArrayList<>();
      for (int process = 0; process < 6; process++) {
        expected.add(
            "process %d of 6 sum 15 node %d own a value file there"
                .formatted(process, process / 2));
      }
      // mpirun now and then warns of a process group of its own.
      assertThat(lines)
          .filteredOn(line -> line.startsWith("process"))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void theCodeOfAProcessComesBack() throws Exception {
    try (Cluster cluster = Clusters.launch(spec("three")).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(ClusterExit.Outcome.FAILED);
      assertThat(exit.cause().orElseThrow().end()).contains(new ProcessEnd.Code(3));
      assertThat(String.join("\n", Logs.of(cluster, 0))).contains("Exit code:    3");
    }
  }

  @Test
  void anAbortEndsAllAndIsTold() throws Exception {
    try (Cluster cluster = Clusters.launch(spec("abort")).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(ClusterExit.Outcome.FAILED);
      assertThat(exit.cause().orElseThrow().end()).contains(new ProcessEnd.Code(7));
      assertThat(String.join("\n", Logs.of(cluster, 0)))
          .contains("MPI_ABORT was invoked on rank 3");
    }
  }

  @Test
  void anMpirunThatIsNotThereIsNamed() {
    ClusterSpec spec = spec("fine").toBuilder().environment("PATH", directory + "").build();
    assertThatThrownBy(() -> Clusters.launch(spec).await().close())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.START_FAILED))
        .hasMessageContaining("mpirun");
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.Alias;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Launcher;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the launcher of each rank is really started with, by a program that shows it. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class LaunchersTest {

  private static final String SHOW =
      """
      #!/bin/sh
      for argument; do
        echo "argument $argument"
        case "$argument" in ../files/*) sed 's/^/file /' "$argument" ;; esac
      done
      tr '\\n\\0' ' \\n' </proc/self/environ
      """;

  @TempDir Path programs;

  private ClusterSpec.Builder spec(String program) throws IOException {
    Path file = programs.resolve(program);
    Files.writeString(file, SHOW);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return ClusterSpec.builder("x")
        .nodes(2)
        .environment("PATH", programs + ":/usr/bin:/bin")
        .environment("PET_NPROC_PER_NODE", "3")
        .environment("OF_MY_OWN", "a value")
        .environment("NCCL_SOCKET_IFNAME", "^docker");
  }

  /** The lines of each rank, in rank order. */
  private static List<List<String>> shown(Cluster cluster) throws InterruptedException {
    ClusterExit exit = cluster.join();
    assertThat(exit.success()).as("%s", exit).isTrue();
    return IntStream.range(0, exit.ranks().size()).mapToObj(rank -> lines(cluster, rank)).toList();
  }

  private static List<String> lines(Cluster cluster, int rank) {
    try (LogStream log = cluster.logs(LogQuery.ofRank(rank))) {
      return new String(log.bytes().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> arguments(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("argument "))
        .map(line -> line.substring("argument ".length()))
        .toList();
  }

  /** The value that a rank has of a variable. */
  private static String value(List<String> lines, String name) {
    return lines.stream()
        .filter(line -> line.startsWith(name + "="))
        .map(line -> line.substring(name.length() + 1))
        .findFirst()
        .orElse("absent");
  }

  private static String port(List<String> lines) {
    return value(lines, "MASTER_PORT");
  }

  @Test
  void torchrunIsStartedWithTheCommandBehindIt() throws Exception {
    ClusterSpec spec =
        spec("torchrun").launcher(Launcher.torchrun()).command("train.py", "a b", "").build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      for (List<String> lines : shown(cluster)) {
        assertThat(arguments(lines)).containsExactly("train.py", "a b", "");
        assertThat(value(lines, "PET_MASTER_ADDR")).isEqualTo(cluster.leader().address());
        assertThat(value(lines, "PET_RDZV_BACKEND")).isEqualTo("absent");
      }
    }
  }

  @Test
  void elasticTorchrunFindsItsRendezvous() throws Exception {
    ClusterSpec spec =
        spec("torchrun").launcher(Launcher.elasticTorchrun()).command("train.py").build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      List<List<String>> ranks = shown(cluster);
      for (int rank = 0; rank < 2; rank++) {
        List<String> lines = ranks.get(rank);
        assertThat(lines)
            .contains(
                "PET_RDZV_BACKEND=c10d",
                "PET_RDZV_ENDPOINT=" + cluster.leader().address() + ":" + port(lines),
                "PET_RDZV_ID=" + cluster.id() + "-1",
                "PET_RDZV_CONF=is_host=" + (rank == 0),
                "PET_MAX_RESTARTS=0",
                "PET_LOCAL_ADDR=" + cluster.nodes().get(rank).address());
      }
    }
  }

  @Test
  void accelerateIsToldEverythingAndFindsItsConfiguration() throws Exception {
    ClusterSpec spec =
        spec("accelerate")
            .launcher(Launcher.accelerate())
            .command("--use_fsdp", "train.py")
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      List<List<String>> ranks = shown(cluster);
      for (int rank = 0; rank < 2; rank++) {
        List<String> lines = ranks.get(rank);
        assertThat(String.join(" ", arguments(lines)))
            .isEqualTo(
                "launch --config_file ../files/accelerate.yaml --num_machines 2 --num_processes 6"
                    + " --machine_rank %d --main_process_ip %s --main_process_port %s"
                        .formatted(rank, cluster.leader().address(), port(lines))
                    + " --same_network --use_fsdp train.py");
        assertThat(lines).contains("file distributed_type: MULTI_GPU", "ACCELERATE_USE_CPU=true");
      }
    }
  }

  @Test
  void deepSpeedFindsItsHostfileAndNoVariableIsLeftBehind() throws Exception {
    ClusterSpec spec =
        spec("deepspeed").launcher(Launcher.deepSpeed()).command("train.py", "--lr", "1").build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      List<List<String>> ranks = shown(cluster);
      for (int rank = 0; rank < 2; rank++) {
        List<String> lines = ranks.get(rank);
        assertThat(String.join(" ", arguments(lines)))
            .isEqualTo(
                "--no_ssh --node_rank %d --master_addr %s --master_port %s"
                        .formatted(rank, cluster.leader().address(), port(lines))
                    + " --hostfile ../files/hostfile train.py --lr 1");
        assertThat(lines)
            .contains("file rank-0 slots=3", "file rank-1 slots=3", "OF_MY_OWN=a value");
      }
    }
  }

  @Test
  void jaxFindsItsCoordinator() throws Exception {
    ClusterSpec spec = spec("show").launcher(Launcher.jax()).command("show", "one").build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      List<List<String>> ranks = shown(cluster);
      for (int rank = 0; rank < 2; rank++) {
        List<String> lines = ranks.get(rank);
        assertThat(arguments(lines)).containsExactly("one");
        assertThat(lines)
            .contains(
                "JAX_COORDINATOR_ADDRESS=" + cluster.leader().address() + ":" + port(lines),
                "JAX_NUM_PROCESSES=2",
                "JAX_PROCESS_ID=" + rank);
      }
    }
  }

  @Test
  void namesOfOtherSystemsAreThereWhenTheyAreAskedFor() throws Exception {
    ClusterSpec spec = spec("show").command("show").aliases(Alias.SKYPILOT, Alias.DSTACK).build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      List<List<String>> ranks = shown(cluster);
      String lists = cluster.nodes().get(0).address() + " " + cluster.nodes().get(1).address();
      for (int rank = 0; rank < 2; rank++) {
        assertThat(ranks.get(rank))
            .contains(
                "SKYPILOT_NODE_RANK=" + rank,
                "SKYPILOT_NODE_IPS=" + lists,
                "DSTACK_NODES_IPS=" + lists,
                "DSTACK_MASTER_NODE_IP=" + cluster.leader().address())
            .noneMatch(line -> line.startsWith("SLURM_"));
      }
    }
  }

  @Test
  void everyRankIsAHostOfItsOwnForNcclOnTheInterfaceOfItsAddress() throws Exception {
    try (Cluster cluster = Clusters.launch(spec("show").command("show").build()).await()) {
      List<List<String>> ranks = shown(cluster);
      for (int rank = 0; rank < 2; rank++) {
        List<String> lines = ranks.get(rank);
        assertThat(value(lines, "NCCL_HOSTID")).isEqualTo(cluster.nodes().get(rank).address());
        assertThat(value(lines, "GLOO_SOCKET_IFNAME")).isEqualTo("lo");
        assertThat(value(lines, "NCCL_SOCKET_IFNAME")).as("the user's own").isEqualTo("^docker");
      }
    }
  }

  @Test
  void aLauncherThatIsNotThereIsNamed() throws Exception {
    ClusterSpec spec = spec("show").launcher(Launcher.deepSpeed()).command("train.py").build();
    assertThatThrownBy(() -> Clusters.launch(spec).await().close())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.START_FAILED))
        .hasMessageContaining("deepspeed");
  }
}

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
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What ranks find in their environment, and what commands of any size find. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class EnvironmentTest {

  private static final Map<String, String> ODD_VALUES = oddValues();

  private static Map<String, String> oddValues() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("EQUALS", "a=b==c=");
    values.put("QUOTES", "\" ' \"' '\"");
    values.put("SHELL", "$HOME ${PATH} $(id) `id` ; & | < > * ? ~ ! # %s %n");
    values.put("BACKSLASH", "\\ \\n \\\\ \\");
    values.put("SPACES", "  two before, two after  ");
    values.put("LINES", "\nfirst\n\nlast\n");
    values.put("TAB", "\ta\tb\t\r");
    values.put("CONTROL", "\u0001\u001b[31m\u007f");
    values.put("TEXT", "Grüße, 世界");
    values.put("EMOJI", "🚀👩‍🔬");
    values.put("EMPTY", "");
    values.put("LARGE", "0123456789".repeat(10_000));
    values.put("odd.name-1", "a name that no shell knows");
    return values;
  }

  /** A rank's environment, as the kernel holds it, by way of its log. */
  private static Map<String, String> environment(Cluster cluster, int rank) throws IOException {
    Map<String, String> found = new LinkedHashMap<>();
    try (LogStream log = cluster.logs(LogQuery.ofRank(rank))) {
      String all = new String(log.bytes().readAllBytes(), StandardCharsets.UTF_8);
      for (String variable : all.split("\0")) {
        int equals = variable.indexOf('=');
        found.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
    return found;
  }

  private static final List<String> SHOW = List.of("cat", "/proc/self/environ");

  @Test
  void everyValueIsByteForByteTheSameOnEveryRank() throws Exception {
    ClusterSpec spec =
        ClusterSpec.builder("x").nodes(4).environment(ODD_VALUES).command(SHOW).build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      assertThat(cluster.join().success()).isTrue();
      for (int rank = 0; rank < 4; rank++) {
        assertThat(environment(cluster, rank)).containsAllEntriesOf(ODD_VALUES);
      }
    }
  }

  @Test
  void namesOfTheContractThatTheUserGivesAreOverwrittenAndOthersAreNot() throws Exception {
    ClusterSpec spec =
        ClusterSpec.builder("x")
            .nodes(2)
            .environment("MASTER_ADDR", "192.0.2.1")
            .environment("MASTER_PORT", "1")
            .environment("NODE_RANK", "7")
            .environment("WORLD_SIZE", "99")
            .environment("PET_NNODES", "99")
            .environment("PET_NODE_RANK", "7")
            .environment("RANK", "the user's own")
            .environment("CUDA_VISIBLE_DEVICES", "5")
            .command(SHOW)
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      assertThat(cluster.join().success()).isTrue();
      for (int rank = 0; rank < 2; rank++) {
        assertThat(environment(cluster, rank))
            .containsEntry("MASTER_ADDR", cluster.leader().address())
            .containsEntry("NODE_RANK", Integer.toString(rank))
            .containsEntry("WORLD_SIZE", "2")
            .containsEntry("PET_NNODES", "2")
            .containsEntry("PET_NODE_RANK", Integer.toString(rank))
            .containsEntry("RANK", "the user's own")
            .containsEntry("CUDA_VISIBLE_DEVICES", "5")
            .doesNotContainEntry("MASTER_PORT", "1");
      }
    }
  }

  /** What the shell of the host program may have left over from another launcher. */
  private static final List<String> FOREIGN =
      List.of(
          "CLUSTERED_RANK",
          "CLUSTERED_TASK_CLASS",
          "MASTER_ADDR",
          "MASTER_PORT",
          "NODE_RANK",
          "WORLD_SIZE",
          "RANK",
          "LOCAL_RANK",
          "LOCAL_WORLD_SIZE",
          "GROUP_RANK",
          "TORCHELASTIC_RUN_ID",
          "PET_NNODES",
          "PET_NODE_RANK",
          "PET_RDZV_BACKEND",
          "PET_RDZV_ENDPOINT",
          "PET_RDZV_ID",
          "PET_STANDALONE",
          "OMPI_COMM_WORLD_RANK",
          "OMPI_COMM_WORLD_SIZE",
          "PMI_RANK",
          "MV2_COMM_WORLD_RANK",
          "SLURM_PROCID",
          "SLURM_NTASKS",
          "SLURM_JOB_ID",
          "SKYPILOT_NODE_RANK",
          "DSTACK_NODE_RANK",
          "JAX_PROCESS_ID",
          "ACCELERATE_USE_CPU",
          "HF_HOME",
          "CROSS_RANK",
          "NCCL_HOSTID",
          "NCCL_SOCKET_IFNAME",
          "GLOO_SOCKET_IFNAME",
          "CUDA_VISIBLE_DEVICES",
          "LD_LIBRARY_PATH",
          "HOST_ONLY");

  @Test
  void nothingOfTheHostsEnvironmentReachesARankButItsBase() throws Exception {
    ProcessBuilder host =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Host.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    for (String foreign : FOREIGN) {
      host.environment().put(foreign, "9");
    }
    Process process = host.start();
    String seen;
    try {
      seen = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(seen.split("\0")).contains("NODE_RANK=0", "WORLD_SIZE=1", "CLUSTERED_RANK=0");
    assertThat(seen.split("\0"))
        .noneMatch(variable -> FOREIGN.stream().anyMatch(name -> variable.equals(name + "=9")));
  }

  /** Shows the environment of the rank of a cluster that it launches. */
  static final class Host {
    private Host() {}

    public static void main(String[] arguments) throws Exception {
      ClusterSpec spec = ClusterSpec.builder("x").command(SHOW).build();
      try (Cluster cluster = Clusters.launch(spec).await();
          LogStream log = cluster.logs(LogQuery.ofRank(0).following())) {
        log.bytes().transferTo(System.out);
        System.out.flush();
      }
    }
  }

  @Test
  void aCommandOfFiveMegabytesRunsWithAThousandVariables() throws Exception {
    ClusterSpec.Builder spec = ClusterSpec.builder("x").nodes(2);
    Map<String, String> many = new LinkedHashMap<>();
    for (int i = 0; i < 1_000; i++) {
      many.put("MANY_" + i, "value " + i + " = \"" + "v".repeat(100) + "\"");
    }
    String command = "cat /proc/self/environ\nexit 0\n#" + "z".repeat(5_000_000);
    spec.environment(many).command("sh", "-c", command);
    try (Cluster cluster = Clusters.launch(spec.build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      for (int rank = 0; rank < 2; rank++) {
        assertThat(environment(cluster, rank)).containsAllEntriesOf(many);
      }
    }
  }

  @Test
  void anArgumentThatNoProcessCanBeGivenIsNamedWithItsSizeAndTheWayOut() {
    ClusterSpec spec =
        ClusterSpec.builder("x").command("printf", "%s", "z".repeat(5_000_000)).build();
    assertThatThrownBy(() -> Clusters.launch(spec).await().close())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.START_FAILED))
        .hasMessageContainingAll("rgument 2", "5000000", "file")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(2_000));
  }
}

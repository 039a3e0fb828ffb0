// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

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
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a Ray is started with on each node, by a program that writes it down. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class RayTest {

  private static final String NOTE =
      """
      echo "$CLUSTERED_RANK $*" >>"$NOTES"
      for argument; do
        case $argument in /tmp/ray-*) cd -P "$argument" && pwd >>"$NOTES" ;; esac
      done
      """;

  @TempDir Path programs;

  private ClusterSpec.Builder spec(String ray, String script) throws IOException {
    return ClusterSpec.builder("ray")
        .nodes(3)
        .launcher(Launcher.ray())
        .script(script)
        .environment("PATH", Programs.path(programs, "ray", NOTE + ray))
        .environment("NOTES", programs.resolve("notes").toString())
        .grace(Duration.ofSeconds(5));
  }

  private List<String> notes() throws IOException {
    return Files.readAllLines(programs.resolve("notes"));
  }

  @Test
  void theHeadStartsAllJoinAndThenTheCommandRunsOnRankZeroAlone() throws Exception {
    String script = "echo $CLUSTERED_RANK $RAY_ADDRESS; cat $NOTES | wc -l";
    try (Cluster cluster = Clusters.launch(spec("", script).build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s %s", exit, Logs.of(cluster, 0)).isTrue();
      String head = cluster.leader().address();
      String address = Logs.of(cluster, 0).getFirst().substring("0 ".length());
      assertThat(address).matches("\\Q" + head + "\\E:[1-9][0-9]{4}");
      assertThat(Logs.of(cluster, 0)).hasSize(2).last().asString().isEqualTo("6");
      assertThat(Logs.of(cluster, 1)).isEmpty();

      List<String> starts = notes().stream().filter(line -> line.contains(" start ")).toList();
      String ports = " start --min-worker-port 0 --max-worker-port 0 ";
      String port = address.substring(head.length() + 1);
      assertThat(starts.getFirst())
          .matches(
              "0\\Q%s--head --node-ip-address %s --port %s\\E --include-dashboard false --temp-dir \\S+"
                  .formatted(ports, head, port));
      assertThat(starts.subList(1, 3))
          .allSatisfy(
              start -> {
                int rank = start.charAt(0) - '0';
                assertThat(start)
                    .startsWith(
                        "%d%s--address %s --node-ip-address %s --temp-dir /tmp/ray-"
                            .formatted(rank, ports, address, cluster.nodes().get(rank).address()))
                    .hasSizeLessThan(200);
              });
      assertThat(notes()).noneMatch(line -> line.contains(" stop"));
    }
  }

  @Test
  void theDirectoryOfEachNodeIsTheRanksOwnAndItsShortNameGoesWithIt() throws Exception {
    try (Cluster cluster = Clusters.launch(spec("", "true").build()).await()) {
      assertThat(cluster.join().success()).isTrue();
    }
    List<String> directories = notes().stream().filter(line -> line.startsWith("/")).toList();
    assertThat(directories).hasSize(3).doesNotHaveDuplicates();
    assertThat(directories).allMatch(directory -> directory.endsWith("/files/short"));
    List<Path> names =
        notes().stream()
            .flatMap(line -> Stream.of(line.split(" ")))
            .filter(word -> word.startsWith("/tmp/ray-"))
            .map(Path::of)
            .toList();
    assertThat(names).hasSize(3).noneMatch(name -> Files.exists(name, LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void theCommandsEndIsTheEnd() throws Exception {
    try (Cluster cluster = Clusters.launch(spec("", "kill -s SEGV $$").build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.cause().orElseThrow().end()).contains(new ProcessEnd.Signal(11));
      assertThat(exit.cause().orElseThrow().rank()).hasValue(0);
    }
  }

  @Test
  void aNodeThatDoesNotJoinIsNamedWithWhatItSaid() throws Exception {
    String ray = "[ $CLUSTERED_RANK != 2 ] || { echo no room here; exit 1; }";
    try (Cluster cluster = Clusters.launch(spec(ray, "echo started").build()).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.outcome()).isEqualTo(ClusterExit.Outcome.FAILED);
      assertThat(Logs.of(cluster, 0))
          .containsExactly("no room here", "clustered: rank 2 did not join Ray");
    }
  }

  @Test
  void aRayThatIsNotThereIsNamed() throws Exception {
    ClusterSpec spec = spec("", "echo started").environment("PATH", "/usr/bin:/bin").build();
    assertThatThrownBy(() -> Clusters.launch(spec).await().close())
        .isInstanceOfSatisfying(
            ClusterException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.START_FAILED))
        .hasMessageContainingAll("could not start (code 127)", "The executable 'ray' is in no")
        .hasMessageContaining("PATH=/usr/bin:/bin");
  }

  @Test
  void anotherRayIsNeitherAskedNorJoined() throws Exception {
    String script = "echo $RAY_ADDRESS";
    ClusterSpec spec = spec("", script).environment("RAY_ADDRESS", "127.0.0.1:6379").build();
    try (ServerSocket foreign = foreignRay();
        Cluster cluster = Clusters.launch(spec).await()) {
      assertThat(cluster.join().success()).as("%s", Logs.of(cluster, 0)).isTrue();
      String address = Logs.of(cluster, 0).getFirst();
      assertThat(address).startsWith(cluster.leader().address() + ":").doesNotEndWith(":6379");
      List<String> starts = notes().stream().filter(line -> line.contains(" start ")).toList();
      assertThat(starts)
          .hasSize(3)
          .noneMatch(start -> start.contains("6379"))
          .first()
          .asString()
          .contains("--port " + address.substring(address.lastIndexOf(':') + 1) + " ");
      assertThat(starts.subList(1, 3)).allMatch(start -> start.contains("--address " + address));
      foreign.setSoTimeout(1);
      assertThatThrownBy(foreign::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  /** Where a Ray of somebody else would be; the well-known port itself where it is free. */
  private static ServerSocket foreignRay() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try {
      return new ServerSocket(6_379, 1, loopback);
    } catch (BindException e) {
      return new ServerSocket(0, 1, loopback);
    }
  }
}

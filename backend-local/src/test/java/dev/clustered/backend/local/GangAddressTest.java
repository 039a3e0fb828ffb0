// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Launcher;
import dev.clustered.model.Node;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Workers meet at the address of their cluster: nothing leads one to itself, or to everybody. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class GangAddressTest {

  /** Listens where its environment says, as the store of a worker does, until it is ended. */
  private static final String STORE =
      """
      import os, socket
      address, port = os.environ["ADDRESS"], int(os.environ["PORT"])
      store = socket.create_server((address, port))
      print("listens", os.getpid(), flush=True)
      while True: store.accept()
      """;

  @TempDir Path programs;

  private ClusterSpec.Builder spec(Launcher launcher) {
    return ClusterSpec.builder("address")
        .nodes(2)
        .launcher(launcher)
        .file("store.py", STORE.getBytes(java.nio.charset.StandardCharsets.UTF_8))
        .grace(Duration.ofSeconds(2));
  }

  @Test
  void noDirectRankIsAWorldOfItsOwnWhateverTheUserSays() throws Exception {
    ClusterSpec spec =
        spec(Launcher.direct(2))
            .environment("MASTER_ADDR", "localhost")
            .environment("MASTER_PORT", "29500")
            .environment("WORLD_SIZE", "1")
            .environment("RANK", "0")
            .script("echo $RANK of $WORLD_SIZE at $MASTER_ADDR:$MASTER_PORT")
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      assertThat(cluster.join().success()).isTrue();
      List<String> lines = new ArrayList<>(Logs.of(cluster, 0));
      lines.addAll(Logs.of(cluster, 1));
      String where = lines.getFirst().substring(lines.getFirst().indexOf(" at "));
      assertThat(where)
          .startsWith(" at " + cluster.leader().address() + ":")
          .doesNotEndWith("29500");
      assertThat(lines)
          .containsExactlyInAnyOrder(
              "0 of 4" + where, "1 of 4" + where, "2 of 4" + where, "3 of 4" + where);
    }
  }

  @Test
  void theStoreOfDirectRanksListensOnTheAddressOfTheClusterOnly() throws Exception {
    String script =
        """
        [ "$RANK" = 0 ] || exec sleep 1000
        ADDRESS=$MASTER_ADDR PORT=$MASTER_PORT exec python3 store.py
        """;
    assertListensOnTheLeaderOnly(spec(Launcher.direct(2)).script(script).build());
  }

  @Test
  void theStoreOfTorchrunListensOnTheAddressOfTheClusterOnly() throws Exception {
    String torchrun =
        """
        [ "$PET_NODE_RANK" = 0 ] || exec sleep 1000
        ADDRESS=$PET_MASTER_ADDR PORT=$PET_MASTER_PORT exec python3 store.py
        """;
    String path = Programs.path(programs, "torchrun", torchrun);
    ClusterSpec spec =
        spec(Launcher.torchrun()).environment("PATH", path).command("train.py").build();
    assertListensOnTheLeaderOnly(spec);
  }

  /** Of all processes of the cluster, and of ours that are neither. */
  private static void assertListensOnTheLeaderOnly(ClusterSpec spec) throws Exception {
    try (ClusterEngine engine = Gangs.engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      Eventually.within(Gangs.PATIENCE)
          .passes(
              () -> assertThat(Logs.of(cluster, 0)).hasSize(1).allMatch(l -> l.contains("list")));
      long store = Long.parseLong(Logs.of(cluster, 0).getFirst().split(" ")[1]);
      InetAddress leader = InetAddress.getByName(cluster.leader().address());
      assertThat(listening(store)).containsExactly(leader);
      Set<InetAddress> ours = listening(ProcessHandle.current().pid());
      assertThat(ours).isNotEmpty().allMatch(InetAddress::isLoopbackAddress);
      for (ProcessHandle other : ProcessHandle.current().descendants().toList()) {
        assertThat(listening(other.pid()))
            .as(other.info().toString())
            .allMatch(address -> belongs(address, cluster));
      }
    }
  }

  private static boolean belongs(InetAddress address, Cluster cluster) {
    return cluster.nodes().stream().map(Node::address).anyMatch(address.getHostAddress()::equals);
  }

  /** The addresses on which a process listens, by the sockets among its descriptors. */
  private static Set<InetAddress> listening(long process) throws IOException {
    Path proc = Path.of("/proc", Long.toString(process));
    Set<String> sockets;
    try (Stream<Path> descriptors = Files.list(proc.resolve("fd"))) {
      sockets =
          descriptors
              .map(GangAddressTest::target)
              .filter(target -> target.startsWith("socket:["))
              .map(target -> target.substring("socket:[".length(), target.length() - 1))
              .collect(Collectors.toSet());
    } catch (IOException e) {
      return Set.of(); // It has ended.
    }
    Set<InetAddress> addresses = new java.util.LinkedHashSet<>();
    for (String table : List.of("net/tcp", "net/tcp6")) {
      for (String line : Files.readAllLines(proc.resolve(table))) {
        String[] column = line.strip().split("\\s+");
        if (column[3].equals("0A") && sockets.contains(column[9])) {
          addresses.add(address(column[1].substring(0, column[1].indexOf(':'))));
        }
      }
    }
    return addresses;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // Closed meanwhile.
    }
  }

  /** The kernel writes words of four bytes in the order of the machine. */
  private static InetAddress address(String hex) throws IOException {
    ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    ByteBuffer bytes = ByteBuffer.allocate(words.capacity()).order(ByteOrder.nativeOrder());
    while (words.hasRemaining()) {
      bytes.putInt(words.getInt());
    }
    return InetAddress.getByAddress(bytes.array());
  }
}

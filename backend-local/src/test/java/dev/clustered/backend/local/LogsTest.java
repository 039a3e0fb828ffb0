// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every byte that a rank wrote is readable afterwards, per rank and merged by line. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class LogsTest {

  private static final int LONG_LINE = 10_000_000;

  /** Progress bars, colours, zeros, bytes that are no UTF-8, an empty line, and no end of line. */
  private static final byte[] ODD =
      "10%\r50%\r100%\n\u001b[31mred\u001b[0m\nnul\0here\n\n".getBytes(StandardCharsets.UTF_8);

  private ClusterEngine engine;

  @BeforeEach
  void open() {
    engine = Clusters.engine().backend(LocalBackend.builder().factory()).open();
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private Cluster launch(int nodes, String script) throws InterruptedException {
    return engine.launch(spec(nodes).script(script).build()).await();
  }

  private static ClusterSpec.Builder spec(int nodes) {
    return ClusterSpec.builder("logs").nodes(nodes).grace(Duration.ofSeconds(2));
  }

  private static byte[] read(Cluster cluster, LogQuery query) throws IOException {
    try (LogStream logs = cluster.logs(query)) {
      return logs.bytes().readAllBytes();
    }
  }

  @Test
  void oddBytesAreTheSameInTheLogOfTheRankAndWholeLinesInTheMergedOne() throws Exception {
    byte[] written = oddBytes();
    ClusterSpec spec = spec(3).file("odd", written).command("cat", "odd").build();
    try (Cluster cluster = engine.launch(spec).await()) {
      assertThat(cluster.join().success()).isTrue();
      for (int rank = 0; rank < 3; rank++) {
        byte[] raw = read(cluster, LogQuery.ofRank(rank));
        assertThat(Arrays.mismatch(raw, written)).as("first different byte").isEqualTo(-1);
      }
      assertMerged(read(cluster, LogQuery.all()), 3, written);
    }
  }

  private static byte[] oddBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(ODD);
    bytes.writeBytes("y".repeat(LONG_LINE).getBytes(StandardCharsets.UTF_8));
    bytes.writeBytes(new byte[] {'\n', (byte) 0xff, (byte) 0xc3, '\n', 'e', 'n', 'd'});
    return bytes.toByteArray();
  }

  /** Every line has its rank in front, and the lines of each rank are what it wrote. */
  private static void assertMerged(byte[] merged, int ranks, byte[] written) {
    List<ByteArrayOutputStream> byRank =
        Stream.generate(ByteArrayOutputStream::new).limit(ranks).toList();
    for (byte[] line : lines(merged)) {
      assertThat(line.length).isGreaterThanOrEqualTo(4);
      assertThat(new String(line, 0, 1, StandardCharsets.UTF_8)).isEqualTo("[");
      assertThat(new String(line, 2, 2, StandardCharsets.UTF_8)).isEqualTo("] ");
      byRank.get(line[1] - '0').write(line, 4, line.length - 4);
    }
    for (ByteArrayOutputStream bytes : byRank) {
      // A last line without an end gets one where lines are merged.
      assertThat(bytes.size()).isEqualTo(written.length + 1);
      byte[] all = bytes.toByteArray();
      assertThat(Arrays.mismatch(all, written)).isEqualTo(written.length);
      assertThat(all[written.length]).isEqualTo((byte) '\n');
    }
  }

  /** Lines with their ends. */
  private static List<byte[]> lines(byte[] bytes) {
    List<byte[]> lines = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        lines.add(Arrays.copyOfRange(bytes, from, i + 1));
        from = i + 1;
      }
    }
    assertThat(from).as("every merged line ends").isEqualTo(bytes.length);
    return lines;
  }

  @Test
  void aLineWrittenInPiecesByFourRanksAtOnceIsNeverSplitWhileFollowed() throws Exception {
    String script =
        """
        i=0
        while [ $i -lt 50 ]; do
          printf 'a%s-' $NODE_RANK; printf 'b%s-' $NODE_RANK; echo "c$NODE_RANK $i"
          i=$((i + 1))
        done
        """;
    try (Cluster cluster = launch(4, script);
        LogStream logs = cluster.logs(LogQuery.all().following())) {
      List<String> lines = logs.lines().toList();
      for (int rank = 0; rank < 4; rank++) {
        String prefix = "[" + rank + "] ";
        String text = "a%1$d-b%1$d-c%1$d ".formatted(rank);
        assertThat(lines.stream().filter(line -> line.startsWith(prefix)))
            .as("prefix = content, in order")
            .containsExactlyElementsOf(
                IntStream.range(0, 50).mapToObj(i -> prefix + text + i).toList());
      }
      assertThat(lines).hasSize(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"kill -9 $$", "exit 3"})
  void tenThousandLinesRightBeforeTheEndAreAllThere(String end) throws Exception {
    String script = "i=0; while [ $i -lt 10000 ]; do echo line $i; i=$((i + 1)); done; " + end;
    String expected =
        IntStream.range(0, 10_000).mapToObj(i -> "line " + i + "\n").reduce("", String::concat);
    try (Cluster cluster = launch(1, script)) {
      assertThat(cluster.join().success()).isFalse();
      assertThat(new String(read(cluster, LogQuery.ofRank(0)), StandardCharsets.UTF_8))
          .isEqualTo(expected);
    }
  }

  @Test
  void whatOtherRanksWroteBeforeTheyWereEndedIsAllThere(@TempDir Path directory) throws Exception {
    String script =
        """
        if [ $NODE_RANK = 0 ]; then until [ -e "$FLAG" ]; do sleep 0.01; done; exit 5; fi
        head -c 3000000 /dev/zero | tr '\\0' z
        printf last
        touch "$FLAG"
        exec sleep 1000
        """;
    ClusterSpec spec =
        spec(2).environment("FLAG", directory.resolve("flag").toString()).script(script).build();
    try (Cluster cluster = engine.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.exitCode()).isEqualTo(5);
      assertThat(new String(read(cluster, LogQuery.ofRank(1)), StandardCharsets.UTF_8))
          .hasSize(3_000_004)
          .endsWith("last");
    }
  }

  @Test
  void oneRanksLogCanBeFollowedLive() throws Exception {
    try (Cluster cluster = launch(2, "echo first; read never < /dev/zero || sleep 1000");
        LogStream logs = cluster.logs(LogQuery.ofRank(1).following())) {
      assertThat(logs.bytes().readNBytes(6)).isEqualTo("first\n".getBytes(StandardCharsets.UTF_8));
      assertThat(cluster.exit()).isNotDone();
      cluster.stop(Duration.ZERO);
      assertThat(logs.bytes().readAllBytes()).isEmpty();
    }
  }

  @Test
  void aReaderThatStopsReadingBlocksNobody() throws Exception {
    try (Cluster cluster = launch(2, "head -c 20000000 /dev/zero | tr '\\0' '\\n'; echo over");
        LogStream stopped = cluster.logs(LogQuery.all().following());
        LogStream raw = cluster.logs(LogQuery.ofRank(0).following())) {
      assertThat(stopped.bytes().read()).isEqualTo('[');
      assertThat(raw.bytes().read()).isEqualTo('\n');
      assertThat(cluster.join().success()).isTrue();
      assertThat(read(cluster, LogQuery.ofRank(1))).hasSize(20_000_005);
      assertThat(new String(stopped.bytes().readNBytes(4), StandardCharsets.UTF_8))
          .isIn("0] \n", "1] \n");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReaderThatIsClosedWhileItWaitsReturnsAndLeavesNothing(boolean merged) throws Exception {
    try (Cluster cluster = launch(2, "echo up; exec sleep 1000")) {
      LogQuery query = merged ? LogQuery.all() : LogQuery.ofRank(0);
      LogStream logs = cluster.logs(query.following());
      String first = merged ? "[" : "u";
      assertThat(logs.bytes().read()).isEqualTo(first.charAt(0));
      CompletableFuture<Integer> rest = new CompletableFuture<>();
      Thread reader = Thread.ofPlatform().start(() -> rest.complete(readToTheEnd(logs.bytes())));
      Eventually.within(Duration.ofSeconds(10))
          .isTrue("the reader waits", () -> reader.getState() == Thread.State.TIMED_WAITING);
      logs.close();
      assertThat(rest.get(10, TimeUnit.SECONDS)).isNotNegative();
      reader.join();
      assertThat(openLogFiles(cluster)).as("files that stay open are the writer's").isEqualTo(2);
      assertThat(cluster.exit()).isNotDone();
    }
  }

  private static int readToTheEnd(InputStream bytes) {
    try {
      return bytes.readAllBytes().length;
    } catch (IOException closed) {
      return 0;
    }
  }

  /** How often this process has a log of the cluster's directory open. */
  private static long openLogFiles(Cluster cluster) throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors
          .filter(
              descriptor -> {
                try {
                  return Files.readSymbolicLink(descriptor)
                      .toString()
                      .matches(".*/" + cluster.id() + "/attempt-1/rank-[01]\\.log");
                } catch (IOException gone) {
                  return false;
                }
              })
          .count();
    }
  }

  @Test
  void logsAreReadableAfterTheEndOfTheEngineWhereTheyWereAskedToBeKept(@TempDir Path directory)
      throws Exception {
    try (ClusterEngine keeping =
            Clusters.engine()
                .backend(LocalBackend.builder().factory())
                .logDirectory(directory)
                .open();
        Cluster cluster =
            keeping.launch(spec(2).command("sh", "-c", "echo $NODE_RANK").build()).await()) {
      assertThat(cluster.join().success()).isTrue();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> logs = files.filter(Files::isRegularFile).sorted().toList();
      assertThat(logs).hasSize(2);
      assertThat(logs.get(0)).hasFileName("rank-0.log").hasContent("0\n");
      assertThat(logs.get(1)).hasFileName("rank-1.log").hasContent("1\n");
    }
  }
}

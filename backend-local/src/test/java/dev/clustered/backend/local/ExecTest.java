// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.ExecRequest;
import dev.clustered.ExecResult;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.RemoteProcess;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.Secret;
import dev.clustered.testkit.NothingLeft;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands beside ranks, run to their end. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class ExecTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** What the exec adds to the environment of the rank. */
  private static final String MARK = "CLUSTERED_EXEC=";

  @TempDir private Path directory;

  private static ExecResult sh(Cluster cluster, String line) throws InterruptedException {
    return cluster.exec(0, List.of("sh", "-c", line), LIMIT);
  }

  /** Every byte there is, a number of times, and some of no text. */
  private static byte[] allBytes(int times) {
    byte[] bytes = new byte[256 * times];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  @Test
  void hasTheEnvironmentAndTheDirectoryOfItsRank() throws Exception {
    ClusterSpec spec =
        ClusterSpec.builder("x")
            .nodes(2)
            .environment("MINE", "a=b \"c\"\nGrüße 🚀")
            .environment("LARGE", "0123456789".repeat(10_000))
            .secret("TOKEN", Secret.of("hunter2"))
            .command("sh", "-c", "env -0 | sort -z; pwd -P; exec sleep 1000")
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      for (int rank = 0; rank < 2; rank++) {
        String own;
        try (LogStream log = cluster.logs(LogQuery.ofRank(rank).following())) {
          own = upTo(log, "/work\n");
        }
        ExecResult result =
            cluster.exec(rank, List.of("sh", "-c", "env -0 | sort -z; pwd -P"), LIMIT);
        List<String> seen = variables(result.outputText());
        assertThat(seen).as("%s", result).anyMatch(variable -> variable.startsWith(MARK));
        seen.removeIf(variable -> variable.startsWith(MARK));
        assertThat(seen).isEqualTo(variables(own));
        assertThat(result.outputText()).contains("NODE_RANK=" + rank, "TOKEN=hunter2");
      }
    }
  }

  private static String upTo(LogStream log, String end) throws Exception {
    StringBuilder text = new StringBuilder();
    while (!text.toString().endsWith(end)) {
      int next = log.bytes().read();
      assertThat(next).as("%s", text).isNotNegative();
      text.append((char) next);
    }
    return new String(
        text.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  private static List<String> variables(String all) {
    return new ArrayList<>(Arrays.asList(all.split("\0")));
  }

  @Test
  void tellsExitCodesFromSignalsAndFromWhatWasNotStarted() throws Exception {
    try (Cluster cluster = Clusters.launch(lasting(1)).await()) {
      for (int code : List.of(0, 1, 9, 126, 127, 137, 143, 255)) {
        assertThat(sh(cluster, "exit " + code).end()).isEqualTo(new ProcessEnd.Code(code));
      }
      for (int signal : List.of(1, 9, 11, 15)) {
        assertThat(sh(cluster, "kill -" + signal + " $$").end())
            .isEqualTo(new ProcessEnd.Signal(signal));
      }
      Path text = Files.writeString(directory.resolve("not-executable"), "text");
      assertNotStarted(cluster, "no-such-program", 127);
      assertNotStarted(cluster, "/no/such/program", 127);
      assertNotStarted(cluster, text.toString(), 126);
    }
  }

  private static void assertNotStarted(Cluster cluster, String program, int code)
      throws InterruptedException {
    ExecResult result = cluster.exec(0, List.of(program, "x"), LIMIT);
    assertThat(result.end()).isInstanceOf(ProcessEnd.NotStarted.class);
    assertThat(((ProcessEnd.NotStarted) result.end()).code()).isEqualTo(code);
    assertThat(((ProcessEnd.NotStarted) result.end()).message()).contains(program);
    assertThat(result.success()).isFalse();
    assertThat(result.endedBecause()).isEmpty();
  }

  @Test
  void passesEveryByteOfBothOutputsThroughAndKeepsThemApart() throws Exception {
    Path file = Files.write(directory.resolve("bytes"), allBytes(40_000));
    try (Cluster cluster = Clusters.launch(lasting(1)).await()) {
      ExecResult result =
          sh(cluster, "cat '%s' & head -c 100000 '%s' >&2; wait".formatted(file, file));
      assertThat(result.end()).isEqualTo(new ProcessEnd.Code(0));
      assertThat(result.standardOutput()).hasSize(10_240_000).isEqualTo(allBytes(40_000));
      assertThat(result.standardError()).isEqualTo(Arrays.copyOf(allBytes(400), 100_000));
    }
  }

  @Test
  void passesLatin1ThroughAsItIs() throws Exception {
    byte[] latin1 = "Grüße, Ærø, ¿qué?\n".getBytes(StandardCharsets.ISO_8859_1);
    Path file = Files.write(directory.resolve("latin1"), latin1);
    try (Cluster cluster = Clusters.launch(lasting(1)).await()) {
      ExecResult result = cluster.exec(0, List.of("cat", file.toString()), LIMIT);
      assertThat(result.standardOutput()).isEqualTo(latin1);
      assertThat(result.outputText()).startsWith("Gr\ufffd");
    }
  }

  @Test
  void findsNothingOnItsStandardInput() throws Exception {
    try (Cluster cluster = Clusters.launch(lasting(1)).await()) {
      assertThat(sh(cluster, "cat; echo end").outputText()).isEqualTo("end\n");
    }
  }

  @Test
  void runsTwentyAtOnceWithoutMixingThemUp() throws Exception {
    try (Cluster cluster = Clusters.launch(lasting(2)).await();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<ExecResult>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int number = i;
        String line = "for j in 1 2 3 4 5; do echo %d; done; exit %d".formatted(number, number);
        all.add(() -> cluster.exec(number % 2, List.of("sh", "-c", line), LIMIT));
      }
      List<Future<ExecResult>> results = threads.invokeAll(all);
      for (int i = 0; i < 20; i++) {
        assertThat(results.get(i).get().end()).isEqualTo(new ProcessEnd.Code(i));
        assertThat(results.get(i).get().outputText()).isEqualTo((i + "\n").repeat(5));
      }
    }
  }

  @Test
  void endsWithAllThatItStartedWhenItsLimitIsOver() throws Exception {
    Path pids = directory.resolve("pids");
    String line =
        "(setsid sh -c 'echo $$; exec sleep 1000' &) > '%s'; trap '' TERM; while :; do sleep 1; done"
            .formatted(pids);
    try (Cluster cluster = Clusters.launch(lasting(1)).await()) {
      assertThatThrownBy(() -> cluster.exec(0, List.of("sh", "-c", line), Duration.ofSeconds(1)))
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EXEC_LIMIT))
          .hasMessageContainingAll("rank 0", cluster.id().value(), "PT1S")
          .hasMessageNotContaining("setsid");
      assertThat(Gangs.runs(Long.parseLong(Files.readString(pids).strip()))).isFalse();
      assertThat(cluster.exit()).isNotDone();
    }
  }

  @Test
  void endsWhatItLeavesRunning() throws Exception {
    try (Cluster cluster = Clusters.launch(lasting(1)).await()) {
      ExecResult result = sh(cluster, "setsid sleep 1000 & echo $!");
      assertThat(result.end()).isEqualTo(new ProcessEnd.Code(0));
      assertThat(Gangs.runs(Long.parseLong(result.outputText().strip()))).isFalse();
      assertThat(cluster.exit()).isNotDone();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "yes >&2"})
  void aFloodIsEndedAndSaysSo(String flood) throws Exception {
    try (Cluster cluster = Clusters.launch(lasting(1)).await()) {
      assertThatThrownBy(() -> sh(cluster, flood))
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EXEC_LIMIT))
          .hasMessageContainingAll("16777216 bytes", "standard", "ExecRequest");
      assertThat(sh(cluster, "exit 7").end()).isEqualTo(new ProcessEnd.Code(7));
    }
  }

  @Test
  void endsWhenItsCallerIsInterrupted() throws Exception {
    Path pid = directory.resolve("pid");
    try (Cluster cluster = Clusters.launch(lasting(1)).await();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ExecResult> caller =
          threads.submit(() -> sh(cluster, "echo $$ > '%s'; exec sleep 1000".formatted(pid)));
      dev.clustered.testkit.Eventually.within(Gangs.PATIENCE)
          .isTrue("it runs", () -> Files.exists(pid) && Files.size(pid) > 0);
      long process = Long.parseLong(Files.readString(pid).strip());
      assertThat(Gangs.runs(process)).isTrue();
      assertThat(caller.cancel(true)).isTrue();
      dev.clustered.testkit.Eventually.within(Gangs.PATIENCE)
          .isTrue("it has ended", () -> !Gangs.runs(process));
    }
  }

  @Test
  void refusesWhatCannotBeInWords() throws Exception {
    Cluster ended;
    try (Cluster cluster = Clusters.launch(shell(2, "exit 0").build()).await()) {
      ended = cluster;
      for (int rank : List.of(-1, 2)) {
        assertThatThrownBy(() -> cluster.exec(rank, List.of("true"), LIMIT))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContainingAll("ranks 0 to 1", "received rank " + rank);
      }
      assertThatThrownBy(() -> cluster.exec(0, List.of(), LIMIT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the command is empty");
      assertThatThrownBy(() -> cluster.exec(0, List.of("true"), Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("received: PT0S");
      assertThatThrownBy(() -> cluster.exec(0, List.of("echo", "secret\0"), LIMIT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("argument 1")
          .hasMessageNotContaining("secret");
      assertThat(cluster.join().success()).isTrue();
      assertNotRunning(cluster);
    }
    assertNotRunning(ended);
  }

  private static void assertNotRunning(Cluster cluster) {
    assertThatThrownBy(() -> cluster.exec(1, List.of("true"), LIMIT))
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RANK_NOT_RUNNING))
        .hasMessageContainingAll("rank 1", cluster.id().value(), "has ended with exit code 0");
  }

  @Test
  void aCommandThatIsClosedAtOnceHasAnEndHoweverSoonThatIs() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(lasting(1)).await()) {
      for (int i = 0; i < 200; i++) {
        RemoteProcess process = cluster.exec(0, ExecRequest.of("sleep", "1000"));
        process.close();
        assertThat(process.end()).isCompleted();
      }
    }
  }
}

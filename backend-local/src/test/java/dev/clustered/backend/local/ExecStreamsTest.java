// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.ExecRequest;
import dev.clustered.RemoteProcess;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.TerminalSize;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commands beside ranks, with streams that stay open. */
@Tag("integration")
@Timeout(120)
@ExtendWith(NothingLeft.class)
class ExecStreamsTest {

  @TempDir private Path directory;

  private static RemoteProcess sh(Cluster cluster, String line) {
    return cluster.exec(0, ExecRequest.of("sh", "-c", line));
  }

  private static BufferedReader lines(RemoteProcess process) {
    return new BufferedReader(
        new InputStreamReader(process.standardOutput(), StandardCharsets.UTF_8));
  }

  private static void type(RemoteProcess process, String text) throws IOException {
    process.standardInput().write(text.getBytes(StandardCharsets.UTF_8));
    process.standardInput().flush();
  }

  private static ProcessEnd end(RemoteProcess process) throws Exception {
    return process.end().get(1, TimeUnit.MINUTES);
  }

  @Test
  void answersEachLineAsSoonAsItIsWritten() throws Exception {
    try (Cluster cluster = Clusters.launch(lasting(1)).await();
        RemoteProcess process = sh(cluster, "while read a; do echo \"got $a\"; done; exit 5")) {
      BufferedReader answers = lines(process);
      for (int i = 0; i < 50; i++) {
        type(process, "line " + i + "\n");
        assertThat(answers.readLine()).isEqualTo("got line " + i);
      }
      assertThat(process.end()).isNotDone();
      process.standardInput().close();
      assertThat(answers.readLine()).isNull();
      assertThat(end(process)).isEqualTo(new ProcessEnd.Code(5));
      assertThat(process.endedBecause()).isEmpty();
    }
  }

  @Test
  void carriesTenMegabytesBothWaysWithoutLosingOrDoublingAByte() throws Exception {
    byte[] bytes = new byte[10_000_000];
    new Random(7).nextBytes(bytes);
    try (Cluster cluster = Clusters.launch(lasting(1)).await();
        RemoteProcess process = cluster.exec(0, ExecRequest.of("cat"))) {
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> {
                try (OutputStream input = process.standardInput()) {
                  input.write(bytes);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      assertThat(process.standardOutput().readAllBytes()).isEqualTo(bytes);
      assertThat(written).succeedsWithin(PATIENCE);
      assertThat(end(process)).isEqualTo(new ProcessEnd.Code(0));
    }
  }

  @Test
  void aCommandThatNobodyReadsWaitsAndFillsNoMemory() throws Exception {
    Path count = directory.resolve("count");
    String line =
        "i=0; while [ $i -lt 4096 ]; do printf %%65536s x; i=$((i+1)); echo $i >> '%s'; done"
            .formatted(count);
    try (Cluster cluster = Clusters.launch(lasting(1)).await();
        RemoteProcess process = sh(cluster, line)) {
      Eventually.within(PATIENCE)
          .isTrue("all buffers are full", () -> process.standardOutput().available() == 1 << 20);
      assertThat(process.standardOutput().readNBytes(4 << 20)).hasSize(4 << 20);
      Eventually.within(PATIENCE)
          .isTrue("they are full again", () -> process.standardOutput().available() == 1 << 20);
      assertThat(Files.readAllLines(count)).hasSizeBetween(70, 100);
      assertThat(process.end()).isNotDone();
    }
  }

  @Test
  void outputThatIsClosedIsDroppedAndTheCommandGoesOn() throws Exception {
    try (Cluster cluster = Clusters.launch(lasting(1)).await();
        RemoteProcess process = sh(cluster, "head -c 10000000 /dev/zero; exit 4")) {
      process.standardOutput().close();
      assertThat(end(process)).isEqualTo(new ProcessEnd.Code(4));
    }
  }

  @Test
  void writingToACommandThatReadsNoMoreFails() throws Exception {
    try (Cluster cluster = Clusters.launch(lasting(1)).await();
        RemoteProcess process = sh(cluster, "exec 0<&-; echo closed; exec sleep 1000");
        RemoteProcess without = cluster.exec(0, ExecRequest.of("sleep", "1000").withoutInput())) {
      assertThat(lines(process).readLine()).isEqualTo("closed");
      assertThatThrownBy(() -> process.standardInput().write(new byte[10_000_000]))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("reads no more");
      assertThatThrownBy(() -> without.standardInput().write(1))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("without an input");
      process.signal(9);
      assertThat(end(process)).isEqualTo(new ProcessEnd.Signal(9));
      assertThatThrownBy(() -> process.standardInput().write(1)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aSignalArrivesThoughInputWaitsBeforeIt() throws Exception {
    String line = "trap 'echo heard; exit 3' USR1; echo ready; while :; do sleep 0.05; done";
    try (Cluster cluster = Clusters.launch(lasting(1)).await();
        RemoteProcess process = sh(cluster, line)) {
      BufferedReader answers = lines(process);
      assertThat(answers.readLine()).isEqualTo("ready");
      process.standardInput().write(new byte[200_000]);
      process.signal(10);
      assertThat(answers.readLine()).isEqualTo("heard");
      assertThat(end(process)).isEqualTo(new ProcessEnd.Code(3));
      process.signal(10);
      assertThatThrownBy(() -> process.signal(0)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> process.resize(new TerminalSize(1, 1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("withTerminal");
    }
  }

  @ParameterizedTest
  @EnumSource
  void closingEndsItWithAllThatItStartedAndLeavesTheRankAlone(AgentPlace place) throws Exception {
    String line = "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait";
    try (ClusterEngine engine =
            Gangs.engine(LocalBackend.builder().agents(place).directory(directory));
        Cluster cluster = engine.launch(lasting(1)).await()) {
      RemoteProcess process = sh(cluster, line);
      long child = Long.parseLong(lines(process).readLine());
      assertThat(Gangs.runs(child)).isTrue();
      process.close();
      assertThat(Gangs.runs(child)).isFalse();
      assertThat(process.end()).isCompletedWithValue(new ProcessEnd.Signal(15));
      assertThat(process.endedBecause()).contains("it was closed");
      process.close();
      assertThat(cluster.exit()).isNotDone();
    }
  }

  @Test
  void endsWithItsRankAndSaysSo() throws Exception {
    Path go = directory.resolve("go");
    String line = "while ! [ -e '%s' ]; do sleep 0.02; done".formatted(go);
    try (Cluster cluster = Clusters.launch(shell(1, line).build()).await();
        RemoteProcess process = sh(cluster, "echo up; exec sleep 1000");
        RemoteProcess unread = sh(cluster, "exec yes")) {
      assertThat(lines(process).readLine()).isEqualTo("up");
      Eventually.within(PATIENCE)
          .isTrue("its buffer is full", () -> unread.standardOutput().available() == 1 << 20);
      Files.createFile(go);
      assertThat(cluster.join().success()).isTrue();
      assertThat(end(process)).isEqualTo(new ProcessEnd.Signal(15));
      assertThat(process.endedBecause()).contains("rank 0 has ended");
      cluster.stop(Duration.ofSeconds(10));
      assertThat(end(unread)).isEqualTo(new ProcessEnd.Signal(15));
    }
  }

  @Test
  void endsWithTheAttemptOfItsRankAndTheNextAttemptTakesCommands() throws Exception {
    Path go = directory.resolve("go");
    String line =
        "[ $CLUSTERED_ATTEMPT = 2 ] && exec sleep 1000; while ! [ -e '%s' ]; do sleep 0.02; done; exit 1"
            .formatted(go);
    ClusterSpec spec = shell(2, line).restart(RestartPolicy.upTo(1)).build();
    try (Cluster cluster = Clusters.launch(spec).await();
        RemoteProcess first = sh(cluster, "echo $CLUSTERED_ATTEMPT; exec sleep 1000")) {
      assertThat(lines(first).readLine()).isEqualTo("1");
      Files.createFile(go);
      assertThat(end(first)).isEqualTo(new ProcessEnd.Signal(15));
      assertThat(first.endedBecause()).contains("rank 0 has ended");
      Eventually.within(PATIENCE)
          .isTrue(
              "the next attempt runs",
              () -> cluster.attempt() == 2 && cluster.state() == ClusterState.RUNNING);
      try (RemoteProcess second = sh(cluster, "echo $CLUSTERED_ATTEMPT")) {
        assertThat(lines(second).readLine()).isEqualTo("2");
      }
    }
  }

  @Test
  void isUnknownWhenItsNodeIsLost() throws Exception {
    Events events = new Events();
    LocalBackend.Builder ownJvms = LocalBackend.builder().agents(AgentPlace.OWN_JVM);
    try (ClusterEngine engine = Gangs.engine(ownJvms);
        Cluster cluster = engine.launch(lasting(2)).withListener(events).await();
        RemoteProcess process = sh(cluster, "echo up; exec sleep 1000")) {
      assertThat(lines(process).readLine()).isEqualTo("up");
      assertThat(Gangs.agentOf(events.process(0)).destroyForcibly()).isTrue();
      assertThat(end(process)).isInstanceOf(ProcessEnd.Unknown.class);
      assertThat(end(process).toString()).contains(cluster.nodes().getFirst().id().value());
      assertThat(process.standardOutput().read()).isEqualTo(-1);
      assertThatThrownBy(() -> cluster.exec(0, List.of("true"), Duration.ofSeconds(9)))
          .isInstanceOfSatisfying(
              ClusterException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.RANK_NOT_RUNNING))
          .hasMessageContaining("lost its node");
    }
  }

  @Test
  void closingTheEngineEndsAll() throws Exception {
    ClusterEngine engine = Gangs.engine(LocalBackend.builder());
    Cluster cluster = engine.launch(lasting(2)).await();
    List<RemoteProcess> all =
        List.of(
            sh(cluster, "exec sleep 1000"),
            sh(cluster, "exec yes"),
            cluster.exec(1, ExecRequest.of("sh").withTerminal(80, 24)));
    assertThat(all.get(1).standardOutput().read()).isEqualTo('y');
    engine.close();
    for (RemoteProcess process : all) {
      assertThat(process.end()).succeedsWithin(PATIENCE);
      process.close();
    }
    assertThatThrownBy(() -> sh(cluster, "true")).isInstanceOf(ClusterException.class);
  }
}

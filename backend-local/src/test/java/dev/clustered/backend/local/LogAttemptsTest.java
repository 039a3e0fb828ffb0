// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.agentOf;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.RestartPolicy;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a log, and logs that go on over attempts. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class LogAttemptsTest {

  private static final RestartPolicy AT_ONCE =
      RestartPolicy.upTo(2).withPause(Duration.ZERO, Duration.ZERO);

  /** Each reader has a thread of its own: it waits for most of its time. */
  private static Executor readers() {
    return command -> Thread.ofVirtual().start(command);
  }

  private static List<String> lines(Cluster cluster, LogQuery query) throws Exception {
    try (LogStream log = cluster.logs(query)) {
      return log.lines().collect(Collectors.toList());
    }
  }

  @Test
  void aFollowerGoesOnWithTheNextAttemptAndEndsWithTheCluster(@TempDir Path shared)
      throws Exception {
    String line =
        "echo attempt $CLUSTERED_ATTEMPT; until test -e $SHARED/$CLUSTERED_ATTEMPT; do sleep"
            + " 0.02; done; test $CLUSTERED_ATTEMPT = 3";
    ClusterSpec spec =
        shell(1, line).environment("SHARED", shared.toString()).restart(AT_ONCE).build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      CompletableFuture<List<String>> merged = read(cluster, LogQuery.all().following());
      CompletableFuture<List<String>> raw = read(cluster, LogQuery.ofRank(0).following());
      CompletableFuture<List<String>> first =
          read(cluster, LogQuery.all().ofAttempt(1).following());
      List<String> live = new CopyOnWriteArrayList<>();
      try (LogStream log = cluster.logs(LogQuery.all().following())) {
        CompletableFuture<Void> reading =
            CompletableFuture.runAsync(() -> log.lines().forEach(live::add), readers());
        for (int attempt = 1; attempt <= 3; attempt++) {
          String said = "[0] attempt " + attempt;
          Eventually.within(PATIENCE).passes(() -> assertThat(live).contains(said));
          Files.createFile(shared.resolve("" + attempt));
        }
        reading.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      List<String> all =
          List.of(
              "[0] attempt 1",
              "--- attempt 2 ---",
              "[0] attempt 2",
              "--- attempt 3 ---",
              "[0] attempt 3");
      assertThat(live).isEqualTo(all);
      assertThat(merged).succeedsWithin(PATIENCE).isEqualTo(all);
      assertThat(raw)
          .succeedsWithin(PATIENCE)
          .isEqualTo(List.of("attempt 1", "attempt 2", "attempt 3"));
      assertThat(first).succeedsWithin(PATIENCE).isEqualTo(List.of("[0] attempt 1"));
    }
  }

  private static CompletableFuture<List<String>> read(Cluster cluster, LogQuery query) {
    LogStream log = cluster.logs(query);
    return CompletableFuture.supplyAsync(
        () -> {
          try (log) {
            return log.lines().toList();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        readers());
  }

  @Test
  void aFollowerThatIsClosedBetweenTwoAttemptsReturns() throws Exception {
    RestartPolicy slow =
        RestartPolicy.upTo(1).withPause(Duration.ofMinutes(10), Duration.ofMinutes(10));
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster =
            engine.launch(shell(1, "echo once; exit 1").restart(slow).build()).await()) {
      LogStream log = cluster.logs(LogQuery.all().following());
      List<String> heard = new CopyOnWriteArrayList<>();
      CompletableFuture<Void> reading =
          CompletableFuture.runAsync(() -> log.lines().forEach(heard::add), readers());
      Eventually.within(PATIENCE).passes(() -> assertThat(heard).contains("[0] once"));
      log.close();
      assertThat(reading)
          .satisfies(
              future -> Eventually.within(PATIENCE).isTrue("the reader returned", future::isDone));
    }
  }

  @Test
  void theTailHasExactlyTheLastLinesOfEachRank() throws Exception {
    String line = "seq 1 100; printf 'no end'";
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(shell(2, line).build()).await()) {
      assertThat(cluster.join().success()).isTrue();
      assertThat(lines(cluster, LogQuery.ofRank(1).tail(3))).containsExactly("99", "100", "no end");
      assertThat(lines(cluster, LogQuery.all().tail(2)))
          .containsExactlyInAnyOrder("[0] 100", "[0] no end", "[1] 100", "[1] no end");
      assertThat(lines(cluster, LogQuery.all().tail(0))).isEmpty();
      assertThat(lines(cluster, LogQuery.ofRank(0).tail(1_000))).hasSize(101);
      try (LogStream log = cluster.logs(LogQuery.ofRank(0).tail(1))) {
        assertThat(new String(log.bytes().readAllBytes(), StandardCharsets.UTF_8))
            .isEqualTo("no end");
      }
      assertThatThrownBy(() -> LogQuery.all().tail(-1)).hasMessageContaining("received: -1");
    }
  }

  @Test
  void aTailThatFollowsHasTheLastLinesAndThenWhatComes(@TempDir Path shared) throws Exception {
    String line =
        "seq 1 5; touch $SHARED/up; until test -e $SHARED/go; do sleep 0.02; done; echo more";
    ClusterSpec spec = shell(1, line).environment("SHARED", shared.toString()).build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = engine.launch(spec).await()) {
      Eventually.within(PATIENCE)
          .passes(() -> assertThat(lines(cluster, LogQuery.ofRank(0))).hasSize(5));
      CompletableFuture<List<String>> tail = read(cluster, LogQuery.ofRank(0).tail(2).following());
      Files.createFile(shared.resolve("go"));
      assertThat(tail).succeedsWithin(PATIENCE).isEqualTo(List.of("4", "5", "more"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aFollowerOfARankThatTheNextAttemptHasNotEndsWithTheCluster(int rank) throws Exception {
    Events events = new Events();
    ClusterSpec spec =
        shell(1, "echo up; test $CLUSTERED_ATTEMPT = 1 && exec sleep 1000; echo again")
            .nodes(2, 3)
            .restart(AT_ONCE)
            .build();
    try (ClusterEngine engine =
            on(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory()).open();
        Cluster cluster = engine.launch(spec).withListener(events).withRdma().await()) {
      CompletableFuture<List<String>> raw = read(cluster, LogQuery.ofRank(rank).following());
      CompletableFuture<List<String>> all = read(cluster, LogQuery.all().following());
      assertThat(agentOf(events.process(1, 1)).destroyForcibly()).isTrue();
      assertThat(cluster.join().ranks()).hasSize(2);
      assertThat(raw)
          .succeedsWithin(PATIENCE)
          .isEqualTo(rank == 0 ? List.of("up", "up", "again") : List.of("up"));
      assertThat(all.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .contains("--- attempt 2 ---", "[1] again");
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.runs;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.core.engine.Engine;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.PoolNode;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Secret;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of whole clusters when their engine is gone and another one goes on. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class EngineRestartTest {

  @TempDir private Path home;

  private final KeptStore store = new KeptStore();
  private KeptBackend backend;

  @BeforeEach
  void open() {
    backend = new KeptBackend(LocalBackend.builder(), home.resolve("nodes"));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private Engine engine() {
    return (Engine)
        Gangs.on(backend)
            .store(store)
            .directory(home.resolve("state"))
            .leadership(Duration.ofSeconds(2))
            .open();
  }

  private static ClusterSpec limited(ClusterSpec.Builder spec) {
    return spec.timeLimit(Duration.ofHours(1)).build();
  }

  private static String log(Cluster cluster, LogQuery query) throws Exception {
    try (LogStream log = cluster.logs(query)) {
      return new String(log.bytes().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void anotherEngineGoesOnWithARunningClusterThatNoticesNothing() throws Exception {
    ClusterSpec spec =
        shell(2, "echo first $$; while [ ! -e go ]; do sleep 0.1; done; echo second; exit 0")
            .build();
    Events events = new Events();
    Engine first = engine();
    Cluster cluster = first.launch(spec).withListener(events).await();
    long process = events.process(1);
    first.halt();
    try (Engine second = engine()) {
      Cluster again = second.find(cluster.id()).orElseThrow();
      assertThat(again.state()).isEqualTo(ClusterState.RUNNING);
      assertThat(again.spec()).hasToString(spec.toString());
      assertThat(again.attempt()).isEqualTo(1);
      assertThat(again.nodes()).isEqualTo(cluster.nodes());
      assertThat(second.pool()).extracting(PoolNode::state).containsOnly(PoolNode.State.READY);
      assertThat(runs(process)).isTrue();
      assertThat(again.exec(0, List.of("touch", "go"), PATIENCE).success()).isTrue();
      assertThat(again.exec(1, List.of("touch", "go"), PATIENCE).success()).isTrue();
      assertThat(again.join().success()).isTrue();
      assertThat(log(again, LogQuery.ofRank(1)))
          .startsWith("first ")
          .endsWith("second\n")
          .hasLineCount(2);
    }
  }

  @Test
  void aRankThatFailsAfterAnEngineIsGoneIsStartedAgainByTheNextWithItsSecret() throws Exception {
    ClusterSpec spec =
        shell(
                2,
                "test $CLUSTERED_ATTEMPT = 2 && exit 0; echo $TOKEN; while [ ! -e go ]; do sleep"
                    + " 0.1; done; exit 3")
            .secret("TOKEN", Secret.of("the secret"))
            .restart(RestartPolicy.upTo(1).withPause(Duration.ofMillis(10), Duration.ofSeconds(1)))
            .build();
    Engine first = engine();
    Cluster cluster = first.launch(spec).await();
    first.halt();
    try (Engine second = engine()) {
      Cluster again = second.find(cluster.id()).orElseThrow();
      assertThat(again.exec(0, List.of("touch", "go"), PATIENCE).success()).isTrue();
      assertThat(again.join().success()).isTrue();
      assertThat(again.attempt()).isEqualTo(2);
      assertThat(log(again, LogQuery.ofRank(0).ofAttempt(1))).isEqualTo("the secret\n");
    }
  }

  @Test
  void anEndThatNoEngineHeardIsKnownToTheNext() throws Exception {
    ClusterSpec spec = shell(1, "sleep 1; exit 7").build();
    Engine first = engine();
    Cluster cluster = first.launch(spec).await();
    first.halt();
    Eventually.within(PATIENCE)
        .isTrue(
            "the rank has ended",
            () ->
                ProcessHandle.current()
                    .descendants()
                    .noneMatch(p -> p.info().commandLine().orElse("").contains("exit 7")));
    try (Engine second = engine()) {
      assertThat(second.find(cluster.id()).orElseThrow().join().exitCode()).isEqualTo(7);
    }
    try (Engine third = engine()) {
      assertThat(third.find(cluster.id()).orElseThrow().join().exitCode())
          .as("remembered after the end")
          .isEqualTo(7);
    }
  }

  @Test
  void launchesWithOneKeyAreOneClusterAlsoAcrossEngines() throws Exception {
    ClusterSpec spec = shell(1, "exec sleep 1000").build();
    Engine first = engine();
    var pending =
        IntStream.range(0, 50)
            .parallel()
            .mapToObj(i -> first.launch(spec).withIdempotencyKey("the-key").start().id())
            .distinct()
            .toList();
    assertThat(pending).hasSize(1);
    first.halt();
    try (Engine second = engine()) {
      assertThat(second.launch(spec).withIdempotencyKey("the-key").await().id())
          .isEqualTo(pending.getFirst());
      ClusterSpec other = spec.toBuilder().nodes(2).build();
      assertThatThrownBy(() -> second.launch(other).withIdempotencyKey("the-key").start())
          .isInstanceOf(InvalidSpecException.class)
          .hasMessageContaining("the-key")
          .hasMessageContaining(pending.getFirst().value());
      assertThat(second.launch(spec).withIdempotencyKey("another").start().id())
          .isNotEqualTo(pending.getFirst());
    }
  }

  @Test
  void aDetachedClusterIsLeftByACloseAndEndedByTheNextEngineWhenItIsTold() throws Exception {
    Engine first = engine();
    Events events = new Events();
    Cluster left =
        first.launch(limited(shell(1, "exec sleep 1000"))).detached().withListener(events).await();
    Cluster ended = first.launch(shell(1, "exec sleep 1000").build()).await();
    long process = events.process(0);
    first.close();
    assertThat(ended.state()).isEqualTo(ClusterState.ENDED);
    assertThat(runs(process)).isTrue();
    try (Engine second = engine()) {
      Cluster again = second.find(left.id()).orElseThrow();
      again.stop(Duration.ofSeconds(5));
      assertThat(again.state()).isEqualTo(ClusterState.ENDED);
      assertThat(runs(process)).isFalse();
    }
  }

  @Test
  void aStandbyTakesOverAndTheEngineBeforeItStopsActing() throws Exception {
    Engine first = engine();
    Cluster cluster = first.launch(shell(1, "exec sleep 1000").build()).await();
    store.depose();
    try (Engine second = engine()) {
      assertThatThrownBy(() -> first.launch(shell(1, "true").build()).start())
          .isInstanceOfSatisfying(
              ClusterException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_DEPOSED));
      assertThat(cluster.exit()).isCompletedExceptionally();
      first.close();
      assertThat(second.find(cluster.id()).orElseThrow().state()).isEqualTo(ClusterState.RUNNING);
    }
  }

  @Test
  void aStoreWithoutTheIdentityOfItsEngineIsRefused() throws Exception {
    engine().close();
    try (Engine first = engine();
        Cluster cluster = first.launch(shell(1, "true").build()).await()) {
      assertThat(cluster.join().success()).isTrue();
    }
    ClusterEngine.Builder other = Gangs.on(backend).store(store).directory(home.resolve("another"));
    assertThatThrownBy(other::open)
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("another")
        .hasMessageContaining("directory of that engine");
  }
}

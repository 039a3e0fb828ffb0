// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.LONG;
import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.PendingCluster;
import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import dev.clustered.model.CapacityException;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.WaitReason;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A launch gets all its nodes and runs on every one of them, or nothing of it is left. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class LaunchAllOrNothingTest {

  private static final Duration SHORT = Duration.ofSeconds(1);

  @Test
  void ofTwoGangsThatDoNotFitTogetherOneRunsAndTheOtherHoldsNothing() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder().nodes(6))) {
      PendingCluster first = engine.launch(lasting(4)).start();
      PendingCluster second = engine.launch(shell(4, "true").build()).start();
      Cluster running = first.ready().get(1, TimeUnit.MINUTES);
      Eventually.within(PATIENCE)
          .passes(
              () ->
                  assertThat(second.waitingFor())
                      .singleElement()
                      .asString()
                      .startsWith("asked 4 nodes in one domain")
                      .endsWith("0 free, 4 busy, 2 could be launched"));
      assertThat(engine.pool())
          .hasSize(4)
          .allSatisfy(node -> assertThat(node.clusters()).containsExactly(first.id()));
      running.close();
      try (Cluster next = second.ready().get(1, TimeUnit.MINUTES)) {
        assertThat(next.join().success()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBackendThatHasLessThanItOfferedMakesTheGangWaitWithNothingHeld(Form form) {
    List<List<Instance>> left = new CopyOnWriteArrayList<>();
    ChangedBackend taken =
        new ChangedBackend(
            LocalBackend.builder(),
            (real, request) -> {
              left.add(real.list(request.owner()));
              throw new CapacityException("local-a", "local.cpu", request.nodes().size(), 1);
            });
    Events events = new Events();
    try (ClusterEngine engine = on(taken).open()) {
      ClusterException failure =
          form.failure(engine.launch(lasting(3)).withReadyTimeout(SHORT).withListener(events));
      assertThat(failure.code()).isEqualTo(ErrorCode.READY_TIMEOUT);
      assertThat(failure).hasMessageContaining("asked 3 nodes").hasMessageContaining("had 1");
      assertThat(engine.pool()).isEmpty();
    }
    assertThat(left).isNotEmpty().allSatisfy(nodes -> assertThat(nodes).isEmpty());
    assertThat(events.of(ClusterEvent.Waiting.class))
        .flatExtracting(ClusterEvent.Waiting::reasons)
        .hasAtLeastOneElementOfType(WaitReason.CoolingDown.class);
  }

  @ParameterizedTest
  @EnumSource
  void aNodeThatCannotBootEndsTheLaunchOfAllTheOthers(Form form) {
    List<List<Instance>> left = new CopyOnWriteArrayList<>();
    ChangedBackend broken =
        new ChangedBackend(
            LocalBackend.builder(),
            (real, request) -> {
              try {
                return real.launch(changed(request, 2, document -> "{"));
              } finally {
                left.add(real.list(request.owner()));
              }
            });
    try (ClusterEngine engine = on(broken).open()) {
      ClusterException failure = form.failure(engine.launch(lasting(4)).withReadyTimeout(SHORT));
      assertThat(failure.code()).isEqualTo(ErrorCode.READY_TIMEOUT);
      assertThat(failure).hasMessageContaining("has a bootstrap that is no AgentBootstrap");
      assertThat(engine.pool()).isEmpty();
    }
    assertThat(left).isNotEmpty().allSatisfy(nodes -> assertThat(nodes).isEmpty());
  }

  @ParameterizedTest
  @EnumSource
  void aNodeWhoseAgentIsRefusedEndsTheLaunchAndIsNamed(Form form) {
    List<String> named = new CopyOnWriteArrayList<>();
    ChangedBackend refused =
        new ChangedBackend(
            LocalBackend.builder(),
            (real, request) -> {
              named.add(request.nodes().get(2).node().value());
              return real.launch(changed(request, 2, LaunchAllOrNothingTest::withAnotherToken));
            });
    try (ClusterEngine engine = on(refused).open()) {
      ClusterException failure = form.failure(engine.launch(lasting(4)));
      assertThat(failure.code()).isEqualTo(ErrorCode.NODE_LOST);
      assertThat(failure).hasMessageContaining("node " + named.getFirst() + " of rank 2 is lost");
      assertThat(engine.pool()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReadyTimeoutWhileItWaitsSaysWhatItWaitedFor(Form form) throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder().nodes(2));
        Cluster running = engine.launch(lasting(1)).await()) {
      ClusterException failure = form.failure(engine.launch(lasting(2)).withReadyTimeout(SHORT));
      assertThat(failure.code()).isEqualTo(ErrorCode.READY_TIMEOUT);
      assertThat(failure).hasMessageContaining("QUEUED").hasMessageContaining("asked 2 nodes");
      assertThat(engine.pool()).hasSize(1);
      assertThat(running.exit()).isNotDone();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReadyTimeoutWhileItBootsGivesTheLaunchBack(Form form) {
    try (ClusterEngine engine = engine(LocalBackend.builder().bootTime(LONG))) {
      ClusterException failure = form.failure(engine.launch(lasting(4)).withReadyTimeout(SHORT));
      assertThat(failure.code()).isEqualTo(ErrorCode.READY_TIMEOUT);
      assertThat(failure).hasMessageContaining("PLACED");
      assertThat(engine.pool()).isEmpty();
      assertThat(engine.pending()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRankThatFailsBeforeTheStartBarrierBreaksItForAll(Form form) throws Exception {
    Events events = new Events();
    try (ServerSocket taken = new ServerSocket(0);
        ClusterEngine engine =
            on(LocalBackend.builder().factory())
                .portRange(taken.getLocalPort(), taken.getLocalPort())
                .open()) {
      ClusterException failure = form.failure(engine.launch(lasting(4)).withListener(events));
      assertThat(failure.code()).isEqualTo(ErrorCode.PREPARE_FAILED);
      assertThat(failure)
          .hasMessageContaining("rank 0")
          .hasMessageContaining(Integer.toString(taken.getLocalPort()));
      events.reached(ClusterState.ENDED);
      assertThat(events.of(ClusterEvent.RankStarted.class)).isEmpty();
      assertThat(engine.pool()).isEmpty();
    }
  }

  private static LaunchRequest changed(
      LaunchRequest request, int index, UnaryOperator<String> document) {
    List<LaunchRequest.Bootstrap> nodes = new ArrayList<>(request.nodes());
    LaunchRequest.Bootstrap good = nodes.get(index);
    nodes.set(index, new LaunchRequest.Bootstrap(good.node(), document.apply(good.document())));
    return new LaunchRequest(request.id(), request.owner(), request.offer(), nodes, request.rdma());
  }

  private static String withAnotherToken(String document) {
    AgentBootstrap good = Json.mapper().readValue(document, AgentBootstrap.class);
    return Json.mapper()
        .writeValueAsString(
            new AgentBootstrap(good.node(), good.control(), good.certificate(), "another"));
  }
}

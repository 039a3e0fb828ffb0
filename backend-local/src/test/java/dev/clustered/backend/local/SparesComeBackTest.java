// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.agentOf;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.model.CapacityException;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Node;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.model.RestartPolicy;
import dev.clustered.spi.BackendFactory;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cluster that has used a spare gets another one while it runs. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class SparesComeBackTest {

  private static final RestartPolicy AT_ONCE =
      RestartPolicy.upTo(5).withPause(Duration.ZERO, Duration.ZERO);

  private static ClusterSpec withSpare(int lasting) {
    return shell(
            2, "test $CLUSTERED_ATTEMPT -le %d && exec sleep 1000; echo done".formatted(lasting))
        .spares(1)
        .restart(AT_ONCE)
        .build();
  }

  private static LocalBackend.Builder nodes() {
    return LocalBackend.builder().agents(AgentPlace.OWN_JVM);
  }

  private static ClusterEngine engine(BackendFactory backend) {
    return on(backend).open();
  }

  private static void lose(Events events, int attempt, int rank) {
    assertThat(agentOf(events.process(attempt, rank)).destroyForcibly()).isTrue();
  }

  private static List<NodeId> nodes(Cluster cluster) {
    return cluster.nodes().stream().map(Node::id).toList();
  }

  private static void running(Cluster cluster, int attempt) {
    Eventually.within(PATIENCE)
        .isTrue(
            "attempt " + attempt + " runs",
            () -> cluster.attempt() == attempt && cluster.state() == ClusterState.RUNNING);
  }

  /** The spare that was told of as so many-th, once it is. */
  private static NodeId spare(Events events, int number) {
    return Eventually.within(PATIENCE)
        .present(
            "spare " + number,
            () ->
                events.of(ClusterEvent.SpareReady.class).stream()
                    .skip(number - 1)
                    .map(ClusterEvent.SpareReady::node)
                    .findFirst());
  }

  @Test
  void aSpareIsUsedComesBackAndIsUsedAgainAndNobodyWaitsForABoot() throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = engine(nodes().factory());
        Cluster cluster = engine.launch(withSpare(2)).withListener(events).await()) {
      List<NodeId> before = nodes(cluster);
      NodeId first = spare(events, 1);
      lose(events, 1, 1);
      running(cluster, 2);
      assertThat(nodes(cluster)).containsExactly(before.getFirst(), first);
      NodeId second = spare(events, 2);
      assertThat(second).isNotIn(before).isNotEqualTo(first);
      assertThat(cluster.attempt()).as("the attempt runs on").isEqualTo(2);
      lose(events, 2, 0);
      assertThat(cluster.join().outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(nodes(cluster)).containsExactly(second, first);
      assertThat(events.states())
          .filteredOn(ClusterState.BOOTING::equals)
          .as("only at the beginning")
          .hasSize(1);
    }
  }

  @Test
  void aSpareThatIsLostItselfComesBackAndDisturbsNobody() throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = engine(nodes().factory());
        Cluster cluster = engine.launch(withSpare(1)).withListener(events).await()) {
      NodeId first = spare(events, 1);
      List<ProcessHandle> ofRanks = List.of(agentOf(events.process(0)), agentOf(events.process(1)));
      List<ProcessHandle> others =
          Gangs.agents().stream().filter(agent -> !ofRanks.contains(agent)).toList();
      assertThat(others).hasSize(1).allMatch(ProcessHandle::destroyForcibly);
      assertThat(spare(events, 2)).isNotEqualTo(first);
      assertThat(cluster.attempt()).isEqualTo(1);
      assertThat(events.of(ClusterEvent.AttemptFailed.class)).isEmpty();
      assertThat(engine.pool()).filteredOn(node -> node.state() == PoolNode.State.READY).hasSize(3);
    }
  }

  /** How a launch of a spare may fail: the zone is full, or the backend says no for good. */
  enum Failure {
    NO_CAPACITY,
    NOT_ALLOWED;

    ClusterException exception() {
      return switch (this) {
        case NO_CAPACITY -> new CapacityException("local-a", "local.cpu", 1, 0);
        case NOT_ALLOWED -> new ClusterException(ErrorCode.INVALID_SETTING, "not for you");
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSpareThatCannotBeLaunchedLeavesTheClusterUnharmed(Failure failure) throws Exception {
    Events events = new Events();
    CountDownLatch failed = new CountDownLatch(1);
    AtomicInteger launches = new AtomicInteger();
    ChangedBackend backend =
        new ChangedBackend(
            nodes(),
            (real, request) -> {
              if (launches.incrementAndGet() > 1) {
                failed.countDown();
                throw failure.exception();
              }
              return real.launch(request);
            });
    try (ClusterEngine engine = engine(backend);
        Cluster cluster = engine.launch(withSpare(1)).withListener(events).await()) {
      lose(events, 1, 1);
      assertThat(failed.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(cluster.join().outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(cluster.attempt()).isEqualTo(2);
    }
  }

  @Test
  void aSpareThatComesLateIsUsedAtOnceByAClusterThatLacksANode() throws Exception {
    Events events = new Events();
    CountDownLatch let = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    AtomicInteger launches = new AtomicInteger();
    ChangedBackend backend =
        new ChangedBackend(
            nodes(),
            (real, request) -> {
              if (launches.incrementAndGet() == 2) {
                asked.countDown();
                assertThat(let.await(1, TimeUnit.MINUTES)).isTrue();
              }
              return real.launch(request);
            });
    try (ClusterEngine engine = engine(backend);
        Cluster cluster = engine.launch(withSpare(2)).withListener(events).await()) {
      lose(events, 1, 1);
      assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
      running(cluster, 2);
      lose(events, 2, 0);
      Eventually.within(PATIENCE)
          .isTrue("it lacks a node", () -> cluster.state() == ClusterState.RESTARTING);
      let.countDown();
      assertThat(cluster.join().outcome()).isEqualTo(Outcome.SUCCEEDED);
      assertThat(cluster.attempt()).isEqualTo(3);
    }
  }

  @Test
  void aStopWhileASpareIsLaunchedLeavesNothing() throws Exception {
    Events events = new Events();
    CountDownLatch asked = new CountDownLatch(1);
    AtomicInteger launches = new AtomicInteger();
    ChangedBackend slow =
        new ChangedBackend(
            nodes(),
            (real, request) -> {
              if (launches.incrementAndGet() > 1) {
                asked.countDown();
                new CountDownLatch(1).await(); // Until it is abandoned.
              }
              return real.launch(request);
            });
    try (ClusterEngine engine = engine(slow)) {
      try (Cluster cluster = engine.launch(withSpare(9)).withListener(events).await()) {
        lose(events, 1, 1);
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        running(cluster, 2);
      }
      assertThat(engine.pool()).isEmpty();
    }
  }

  @Test
  void aStopWhileASpareBootsLeavesNothing() throws Exception {
    Events events = new Events();
    CountDownLatch granted = new CountDownLatch(1);
    AtomicInteger launches = new AtomicInteger();
    ChangedBackend watched =
        new ChangedBackend(
            nodes(),
            (real, request) -> {
              var instances = real.launch(request);
              if (launches.incrementAndGet() > 1) {
                granted.countDown();
              }
              return instances;
            });
    try (ClusterEngine engine = engine(watched)) {
      try (Cluster cluster = engine.launch(withSpare(9)).withListener(events).await()) {
        lose(events, 1, 1);
        assertThat(granted.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(cluster.spec().spares()).isEqualTo(1);
      }
      assertThat(engine.pool()).isEmpty();
    }
  }
}

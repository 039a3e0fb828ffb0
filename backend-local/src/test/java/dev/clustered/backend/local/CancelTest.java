// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.lasting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.ClusterListener;
import dev.clustered.Launch;
import dev.clustered.PendingCluster;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A launch can be given up at every moment of its life, and leaves nothing then. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class CancelTest {

  /** How somebody gives a launch up. */
  enum Way {
    /** {@link PendingCluster#cancel}, and {@link Cluster#close} if it was too late for that. */
    CANCEL {
      @Override
      void giveUp(ClusterEngine engine, Launch launch, CountDownLatch moment) throws Exception {
        PendingCluster pending = launch.start();
        moment.await();
        pending.cancel();
        try {
          pending.ready().get(1, TimeUnit.MINUTES).close();
        } catch (ExecutionException e) {
          assertCancelled(e.getCause());
        }
      }
    },

    /** An interrupt of the thread that waits. */
    INTERRUPT {
      @Override
      void giveUp(ClusterEngine engine, Launch launch, CountDownLatch moment) throws Exception {
        FutureTask<Cluster> await = new FutureTask<>(launch::await);
        Thread waiting = Thread.ofPlatform().start(await);
        moment.await();
        waiting.interrupt();
        waiting.join();
        if (await.state() == FutureTask.State.SUCCESS) {
          await.resultNow().close();
        } else {
          assertThat(await.exceptionNow()).isInstanceOf(InterruptedException.class);
        }
      }
    },

    /** The end of the whole engine. */
    CLOSE_ENGINE {
      @Override
      void giveUp(ClusterEngine engine, Launch launch, CountDownLatch moment) throws Exception {
        CompletableFuture<Cluster> ready = launch.start().ready();
        moment.await();
        engine.close();
        try {
          Cluster ran = ready.get(1, TimeUnit.MINUTES);
          assertThat(ran.join().outcome()).isEqualTo(Outcome.STOPPED);
        } catch (ExecutionException e) {
          assertCancelled(e.getCause());
        }
      }
    };

    /** Gives it up at a moment, and returns when nothing is left. */
    abstract void giveUp(ClusterEngine engine, Launch launch, CountDownLatch moment)
        throws Exception;
  }

  static Stream<Arguments> everyMomentAndWay() {
    return EnumSet.range(ClusterState.QUEUED, ClusterState.RUNNING).stream()
        .flatMap(state -> Stream.of(Way.values()).map(way -> Arguments.of(state, way)));
  }

  @ParameterizedTest
  @MethodSource("everyMomentAndWay")
  void leavesNothing(ClusterState state, Way way) throws Exception {
    Events events = new Events();
    CountDownLatch moment = new CountDownLatch(1);
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      Launch launch = engine.launch(lasting(3)).withListener(events);
      way.giveUp(engine, launch.withListener(at(state, moment)), moment);
      assertThat(engine.pool()).isEmpty();
      assertThat(engine.pending()).isEmpty();
      assertThat(engine.clusters()).isEmpty();
      assertThat(events.verdict().outcome()).isEqualTo(Outcome.STOPPED);
      assertThat(events.verdict().cause().orElseThrow().code()).isEqualTo(ErrorCode.CANCELLED);
      events.reached(ClusterState.ENDED);
    }
  }

  private static ClusterListener at(ClusterState state, CountDownLatch moment) {
    return event -> {
      if (event instanceof ClusterEvent.StateChanged changed && changed.state() == state) {
        moment.countDown();
      }
    };
  }

  private static void assertCancelled(Throwable failure) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            ClusterException.class,
            known -> assertThat(known.code()).isEqualTo(ErrorCode.CANCELLED));
  }

  @Test
  void aGangThatWaitsBehindAnotherIsGivenUpWithoutDisturbingIt() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder().nodes(2));
        Cluster running = engine.launch(lasting(2)).await()) {
      PendingCluster waiting = engine.launch(lasting(2)).start();
      Eventually.within(PATIENCE).passes(() -> assertThat(waiting.waitingFor()).isNotEmpty());
      waiting.cancel();
      assertThat(waiting.state()).isEqualTo(ClusterState.ENDED);
      assertThat(waiting.ready()).isCompletedExceptionally();
      assertThat(running.state()).isEqualTo(ClusterState.RUNNING);
      assertThat(engine.pool()).hasSize(2);
    }
  }

  @Test
  void hasNoEffectOnceItRuns() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      PendingCluster pending = engine.launch(lasting(1)).start();
      try (Cluster running = pending.ready().get(1, TimeUnit.MINUTES)) {
        pending.cancel();
        assertThat(running.state()).isEqualTo(ClusterState.RUNNING);
      }
    }
  }

  @Test
  void cancellingTheFutureIsNoCancelOfTheLaunch() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      PendingCluster pending = engine.launch(lasting(1)).start();
      assertThat(pending.ready().cancel(true)).isTrue();
      try (Cluster running = pending.ready().get(1, TimeUnit.MINUTES)) {
        assertThat(running.state()).isEqualTo(ClusterState.RUNNING);
      }
    }
  }

  @Test
  void everyLaunchThatRacesWithTheEnginesCloseComesToAnEnd() throws Exception {
    for (int round = 0; round < 10; round++) {
      ClusterEngine engine = engine(LocalBackend.builder());
      CountDownLatch together = new CountDownLatch(1);
      List<FutureTask<Cluster>> launches = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        FutureTask<Cluster> launch =
            new FutureTask<>(
                () -> {
                  together.await();
                  return engine.launch(lasting(1)).await();
                });
        launches.add(launch);
        Thread.ofPlatform().start(launch);
      }
      together.countDown();
      CompletableFuture.runAsync(engine::close).get(1, TimeUnit.MINUTES);
      for (FutureTask<Cluster> launch : launches) {
        try {
          Cluster ran = launch.get(1, TimeUnit.MINUTES);
          assertThat(ran.join().outcome()).isEqualTo(Outcome.STOPPED);
        } catch (ExecutionException e) {
          assertThat(((ClusterException) e.getCause()).code())
              .isIn(ErrorCode.CANCELLED, ErrorCode.ENGINE_CLOSED);
        }
      }
    }
  }
}

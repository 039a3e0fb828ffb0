// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.LogQuery;
import dev.clustered.PendingCluster;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What those who listen and look at a cluster meet at its edges. */
@Tag("integration")
@Timeout(60)
@ExtendWith(NothingLeft.class)
class ListenersTest {

  private static final ClusterSpec SHORT = ClusterSpec.builder("short").command("true").build();

  @Test
  void oneThatThrowsAnErrorHearsTheRestAndSoDoTheOthers() throws Exception {
    List<ClusterEvent> byTheFaulty = new CopyOnWriteArrayList<>();
    List<ClusterEvent> byAnother = new CopyOnWriteArrayList<>();
    try (ClusterEngine engine =
        Gangs.on(LocalBackend.builder().factory())
            .listener(
                event -> {
                  byTheFaulty.add(event);
                  throw new StackOverflowError("a faulty listener");
                })
            .listener(byAnother::add)
            .open()) {
      try (Cluster cluster = engine.launch(SHORT).await()) {
        assertThat(cluster.join().success()).isTrue();
      }
    }
    assertThat(byTheFaulty).hasSizeGreaterThan(5).isEqualTo(byAnother);
  }

  @Test
  void aLaunchGivenUpInFlightHoldsNoLaterOneBack() throws Exception {
    try (ClusterEngine engine =
        Gangs.engine(LocalBackend.builder().bootTime(Duration.ofMillis(500)))) {
      CountDownLatch placed = new CountDownLatch(1);
      PendingCluster pending =
          engine
              .launch(SHORT)
              .withListener(
                  event -> {
                    if (event.toString().contains("PLACED")) {
                      placed.countDown();
                    }
                  })
              .start();
      placed.await();
      pending.cancel();
      try (Cluster next = engine.launch(SHORT).withReadyTimeout(Duration.ofSeconds(30)).await()) {
        assertThat(next.leader().shape().name()).isEqualTo("local.cpu");
      }
    }
  }

  @Test
  void logsOfAClosedEngineAreRefusedWithTheRemedy() throws Exception {
    Cluster cluster;
    try (ClusterEngine engine = Gangs.engine(LocalBackend.builder())) {
      cluster = engine.launch(SHORT).await();
      assertThat(cluster.join().success()).isTrue();
      cluster.close();
    }
    Assertions.assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> cluster.logs(LogQuery.all()).close())
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_CLOSED))
        .withMessageContaining("logDirectory");
  }
}

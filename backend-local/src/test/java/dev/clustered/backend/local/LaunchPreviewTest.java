// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.model.Change;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.LaunchPreview.Outcome;
import dev.clustered.model.Offer;
import dev.clustered.model.StartChange;
import dev.clustered.model.WaitReason;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.testkit.ForwardedCapacity;
import dev.clustered.testkit.NothingLeft;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A preview says what a launch would do, and does nothing. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class LaunchPreviewTest {

  @Test
  void saysHowManyNodesWouldBeLaunchedAndLaunchesNone() {
    Events events = new Events();
    try (ClusterEngine engine =
        on(LocalBackend.builder().nodes(4).factory()).listener(events).open()) {
      LaunchPreview preview = engine.launch(lasting(3)).withListener(events).plan();

      assertThat(preview.outcome()).isEqualTo(Outcome.LAUNCH);
      assertThat(preview.nodes())
          .singleElement()
          .extracting(LaunchPreview.Nodes::count)
          .isEqualTo(3);
      LaunchPreview.Nodes nodes = preview.nodes().getFirst();
      assertThat(preview.hourlyPrice())
          .isEqualByComparingTo(nodes.hourlyPrice().multiply(new BigDecimal(3)));
      assertThat(preview.bootTime()).isPresent();
      assertThat(preview.expectedStart()).isPresent();
      assertThat(preview.reasons()).isEmpty();
      assertThat(preview.change()).isEmpty();
      assertThat(preview).asString().startsWith("launches nodes now: 3 × ");
      assertThat(engine.pool()).isEmpty();
      assertThat(engine.pending()).isEmpty();
      assertThat(events.of(ClusterEvent.class)).isEmpty();
    }
  }

  @Test
  void saysWhyAGangWouldWaitOrFailAndWhatWouldLetItStart() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder().nodes(4))) {
      try (Cluster running = engine.launch(lasting(3)).await()) {
        LaunchPreview waits = engine.launch(lasting(2)).plan();
        assertThat(waits.outcome()).isEqualTo(Outcome.WAIT);
        assertThat(waits.reasons()).hasAtLeastOneElementOfType(WaitReason.NotEnoughNodes.class);
        assertThat(waits.expectedStart()).isEmpty();
        assertThat(waits.change())
            .get()
            .extracting(StartChange::change)
            .isEqualTo(new Change.FewerNodes("worker", 2, 1));

        LaunchPreview refused = engine.launch(lasting(9)).plan();
        assertThat(refused.outcome()).isEqualTo(Outcome.REFUSE);
        assertThat(refused.refusal())
            .get()
            .extracting(LaunchPreview.Refusal::code)
            .isEqualTo(ErrorCode.CANNOT_EVER_FIT);
        assertThat(engine.pool()).hasSize(3);
        assertThat(engine.clusters()).extracting(Cluster::id).containsExactly(running.id());
      }
    }
  }

  @Test
  void saysThatAGangStartsOnIdleNodes() throws Exception {
    try (ClusterEngine engine =
        on(LocalBackend.builder().nodes(4).factory()).idleNodeTime(Duration.ofHours(1)).open()) {
      engine.launch(lasting(2)).await().close();
      LaunchPreview preview = engine.launch(lasting(2)).plan();
      assertThat(preview.outcome()).isEqualTo(Outcome.PLACE);
      assertThat(preview.nodes())
          .singleElement()
          .extracting(LaunchPreview.Nodes::count)
          .isEqualTo(2);
      assertThat(preview.bootTime()).isEmpty();
    }
  }

  @Test
  void isRefusedByAClosedEngine() {
    ClusterEngine engine = engine(LocalBackend.builder().nodes(1));
    engine.close();
    assertThatThrownBy(() -> engine.launch(lasting(1)).plan())
        .isInstanceOfSatisfying(
            ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_CLOSED));
  }

  @Test
  void endsWhenItsEngineIsClosedBeforeOffersAreKnown() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    ChangedBackend silent =
        new ChangedBackend(
            LocalBackend.builder().nodes(1), capacity -> new Silent(capacity, asked, answer));
    CompletableFuture<LaunchPreview> preview;
    try (ClusterEngine engine = on(silent).open()) {
      preview = CompletableFuture.supplyAsync(() -> engine.launch(lasting(1)).plan());
      assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
      Thread closing = Thread.ofVirtual().start(engine::close);
      assertThatThrownBy(() -> preview.get(1, TimeUnit.MINUTES))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ENGINE_CLOSED));
      answer.countDown();
      closing.join();
    }
  }

  /** Capacity that gives no offers before it may. */
  private static final class Silent extends ForwardedCapacity {
    private final CountDownLatch asked;
    private final CountDownLatch answer;

    Silent(CapacityProvider real, CountDownLatch asked, CountDownLatch answer) {
      super(real);
      this.asked = asked;
      this.answer = answer;
    }

    @Override
    public List<Offer> offers() {
      asked.countDown();
      try {
        boolean unused = answer.await(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return super.offers();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Reservations.Reservation;
import dev.clustered.core.plan.Reservations.Taken;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two gangs have three GPUs each of one node with eight kept for them. */
class ReservationsTest {

  private static final NodeId NODE = new NodeId("n");

  private final Pool pool = new Pool();
  private final Reservations reservations = new Reservations(NOW, pool);
  private List<Reservation> both = List.of();

  @BeforeEach
  void keepTwoParts() {
    pool.put(node("n", GPU, "z", ""));
    both = List.of(keep("one"), keep("other"));
  }

  private Reservation keep(String gang) {
    Taken part = new Taken(gpus(3), left().minus(gpus(3)));
    Duration later = Duration.ofHours(1);
    return reservations.keep(new ClusterId(gang), Optional.of(NOW.plus(later)), Map.of(NODE, part));
  }

  private Resources left() {
    return pool.slot(NODE).orElseThrow().left();
  }

  private static Need parts(int count) {
    return new Need(Optional.empty(), Optional.empty(), Optional.of(gpus(count)), Optional.empty());
  }

  @Test
  void hideWhatTheyKeepAndKeepItAllAgainAfterItWasShown() {
    assertThat(left().gpus()).isEqualTo(2);

    reservations.lift(both);
    assertThat(left().gpus()).isEqualTo(8);
    reservations.restore(both);

    assertThat(left().gpus()).isEqualTo(2);
  }

  @Test
  void keepLessByWhatAGangTookThatEndsInTimeSoThatOthersSeeAsMuchAsBefore() {
    reservations.lift(both);
    pool.take(NODE, parts(4));
    reservations.restore(both);

    assertThat(left().gpus()).isEqualTo(2);
  }

  @Test
  void showWhatAGangThatEndsInTimeMadeNeedlessToKeep() {
    Holding taken = new Holding(NODE, gpus(2), List.of(0, 1));
    pool.take(NODE, parts(2));

    reservations.used(both, List.of(taken));

    assertThat(left().gpus()).isEqualTo(2);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Place;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties of the places of gangs of every kind; a failure names its seed. */
class GangPropertiesTest {

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 400);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void givesAllOrNothingNothingTwiceAndByTheLayout(long seed) {
    Snapshot snapshot = new RandomGangs(seed, 20, 6).snapshot(5);
    Judge judge = new Judge(snapshot.nodes());
    for (Decision decision : Planner.plan(snapshot).decisions()) {
      if (decision instanceof Place place) {
        GangRequest gang =
            snapshot.waiting().stream()
                .filter(g -> g.id().equals(place.gang()))
                .findFirst()
                .orElseThrow();
        assertThat(judge.take(gang, place)).as("seed %d: %s got %s", seed, gang, place).isEmpty();
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void doesNotDependOnTheOrderOfTheNodes(long seed) {
    Snapshot snapshot = new RandomGangs(seed, 20, 6).snapshot(5);
    List<NodeView> nodes = new ArrayList<>(snapshot.nodes());
    Collections.shuffle(nodes, new Random(seed));
    Scenario other = new Scenario();
    other.nodes.addAll(nodes);
    other.waiting.addAll(snapshot.waiting());

    assertThat(other.plan()).as("seed %d", seed).isEqualTo(Planner.plan(snapshot).decisions());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void findsAPlaceForAGangOfOneRoleWheneverThereIsOne(long seed) {
    Snapshot snapshot = new RandomGangs(seed, 6, 4).snapshot(1);
    GangRequest gang = snapshot.waiting().getFirst();
    boolean placed = Planner.plan(snapshot).decisions().getFirst() instanceof Place;
    boolean possible =
        gang.ways().stream()
            .filter(way -> way.roles().size() == 1)
            .anyMatch(way -> new Judge(snapshot.nodes()).possible(way));

    assertThat(placed || !possible).as("seed %d: %s", seed, gang).isTrue();
  }

  @Test
  void findsAPlaceForSmallGangsOfSeveralRolesWheneverThereIsOne() {
    int possible = 0;
    List<Long> missed = new ArrayList<>();
    for (long seed = 1; seed <= 1000; seed++) {
      Snapshot snapshot = new RandomGangs(seed, 6, 2).snapshot(1);
      GangRequest gang = snapshot.waiting().getFirst();
      if (gang.ways().stream().anyMatch(way -> new Judge(snapshot.nodes()).possible(way))) {
        possible++;
        if (!(Planner.plan(snapshot).decisions().getFirst() instanceof Place)) {
          missed.add(seed);
        }
      }
    }
    assertThat(possible).isGreaterThan(200);
    assertThat(missed).as("of %d", possible).isEmpty();
  }
}

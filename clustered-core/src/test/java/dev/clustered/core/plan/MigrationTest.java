// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Migrate;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two racks of four nodes, with a gang of one node in each of them, and one that wants a rack. */
class MigrationTest {

  private static final Shape NODE =
      new Shape("gpu", new Resources(8, "H200", 16, ByteSize.gibibytes(64)), 8, 3200);

  private final PoolSimulation pool = new PoolSimulation();

  @BeforeEach
  void twoRacks() {
    for (String rack : List.of("r1", "r2")) {
      for (int i = 1; i <= 4; i++) {
        String name = rack + "n" + i;
        pool.node(
            Scenario.at(
                name,
                NODE,
                TopologyPath.of("zone", "z", "fabric", "f", "rack", rack, "host", name)));
      }
    }
    GangRequest wants = gang("wants", 4);
    pool.waiting.add(wants.withLayout(Layout.ANY.withRequired("rack")));
    allow(Duration.ofHours(1), Duration.ZERO, Optional.empty());
  }

  private void allow(Duration mostCost, Duration every, Optional<java.time.Instant> last) {
    pool.policy = pool.policy.withMigration(new PlanPolicy.Migration(true, mostCost, every, last));
  }

  private void runs(String id, String node, Optional<Duration> moveCost) {
    GangRequest request = gang(id, 1);
    Terms terms = moveCost.map(Terms.DEFAULT::withMoveCost).orElse(Terms.DEFAULT);
    NodeView view = pool.nodes.get(new NodeId(node));
    Holding held = new Holding(view.id(), view.shape().resources(), view.freeGpus());
    pool.nodes.put(view.id(), view.with(held));
    pool.running.put(
        request.id(),
        new RunningGang(
            request.withTerms(terms),
            new ArrayList<>(List.of(new Member(0, Role.ONLY, held))),
            NOW,
            Optional.empty()));
  }

  private Decision decision() {
    return Planner.plan(pool.snapshot()).decisions().getFirst();
  }

  @Test
  void movesTheCheapestGangOutOfTheWayAndStartsTheOtherWhenItHasLeft() {
    runs("dear", "r1n1", Optional.of(Duration.ofMinutes(9)));
    runs("cheap", "r2n4", Optional.of(Duration.ofMinutes(2)));

    Migrate migrate = (Migrate) pool.step().decisions().getFirst();

    assertThat(migrate.cost()).isEqualTo(Duration.ofMinutes(2));
    assertThat(migrate.moves()).hasSize(1);
    assertThat(migrate.moves().getFirst().gang()).isEqualTo(new ClusterId("cheap"));
    assertThat(migrate.moves().getFirst().to().node().value()).startsWith("r1");
    assertThat(migrate.claim().nodes())
        .extracting(NodeId::value)
        .containsExactly("r2n1", "r2n2", "r2n3", "r2n4");
    assertThat(decision()).isInstanceOf(Wait.class);
    assertThat(((Wait) decision()).reasons().getFirst()).isInstanceOf(WaitReason.Draining.class);

    pool.moved();

    assertThat(decision()).isInstanceOf(Place.class);
  }

  @Test
  void movesNobodyWithoutLeave() {
    runs("firm", "r1n1", Optional.empty());
    runs("exempt", "r2n4", Optional.empty());

    assertThat(decision()).isInstanceOf(Wait.class);
    assertThat(((Wait) decision()).reasons())
        .contains(
            new WaitReason.Fragmented(
                4, 1, "rack", "zone=z/fabric=f/rack=r1", 3, 6, 1, List.of(), 0));
  }

  @Test
  void movesNobodyWhenThePolicyDoesNotAllowIt() {
    runs("a", "r1n1", Optional.of(Duration.ofMinutes(9)));
    runs("b", "r2n4", Optional.of(Duration.ofMinutes(2)));
    pool.policy = pool.policy.withMigration(PlanPolicy.Migration.NONE);

    assertThat(decision()).isInstanceOf(Wait.class);
  }

  @Test
  void movesNobodyAtAHigherCostThanThePolicyAllows() {
    runs("a", "r1n1", Optional.of(Duration.ofMinutes(9)));
    runs("b", "r2n4", Optional.of(Duration.ofMinutes(2)));
    allow(Duration.ofMinutes(1), Duration.ZERO, Optional.empty());

    assertThat(decision()).isInstanceOf(Wait.class);
  }

  @Test
  void movesGangsNoMoreOftenThanThePolicySays() {
    runs("a", "r1n1", Optional.of(Duration.ofMinutes(9)));
    runs("b", "r2n4", Optional.of(Duration.ofMinutes(2)));
    allow(Duration.ofHours(1), Duration.ofHours(2), Optional.of(NOW.minus(Duration.ofHours(1))));
    assertThat(decision()).isInstanceOf(Wait.class);

    pool.now = NOW.plus(Duration.ofHours(1));

    assertThat(decision()).isInstanceOf(Migrate.class);
  }

  @Test
  void movesNobodyWhoHasNowhereToGo() {
    runs("a", "r1n1", Optional.of(Duration.ofMinutes(9)));
    runs("b", "r2n4", Optional.of(Duration.ofMinutes(2)));
    for (String node : List.of("r1n2", "r1n3", "r1n4")) {
      runs("firm-" + node, node, Optional.empty());
    }

    assertThat(decision()).isInstanceOf(Wait.class);
  }
}

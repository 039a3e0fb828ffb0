// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.LayoutTest.placed;
import static dev.clustered.core.plan.LayoutTest.racks;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.at;
import static dev.clustered.core.plan.Scenario.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Gangs that should lie in few domains, or must lie apart. */
class SpreadTest {

  @Test
  void takesThePlaceWithTheFewestPreferredDomainsWhereNoneHoldsTheGang() {
    List<NodeView> nodes = new ArrayList<>();
    nodes.addAll(zone("a", 2, 1, 1, 1));
    nodes.addAll(zone("b", 2, 2, 2));
    Layout rackInZone = Layout.ANY.withRequired("zone").withPreferred("rack");

    List<Decision> plan =
        new Scenario()
            .nodes(nodes.toArray(NodeView[]::new))
            .gangs(gang("g", 3).withLayout(rackInZone), gang("h", 4).withLayout(rackInZone))
            .plan();

    // Two racks in either zone, and zone a has less left over; then four only in two racks of b.
    assertThat(placed(plan.get(0))).containsExactly("a1-1", "a1-2", "a2-1");
    assertThat(placed(plan.get(1))).containsExactly("b1-1", "b1-2", "b2-1", "b2-2");
  }

  private static List<NodeView> zone(String zone, int... racks) {
    List<NodeView> nodes = new ArrayList<>();
    for (int rack = 1; rack <= racks.length; rack++) {
      for (int node = 1; node <= racks[rack - 1]; node++) {
        String id = zone + rack + "-" + node;
        nodes.add(at(id, GPU, TopologyPath.of("zone", zone, "rack", zone + rack, "host", id)));
      }
    }
    return nodes;
  }

  @Test
  void ratherUsesFewPreferredDomainsThanTheTighterPlace() {
    List<NodeView> nodes = new ArrayList<>();
    nodes.addAll(zone("a", 1, 1, 1));
    nodes.addAll(zone("b", 2, 2, 2));
    Decision decision =
        new Scenario()
            .nodes(nodes.toArray(NodeView[]::new))
            .gangs(gang("g", 3).withLayout(Layout.ANY.withPreferred("rack")))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("b1-1", "b1-2", "b2-1");
  }

  @Test
  void takesTheTightestPreferredDomainThatHoldsTheGang() {
    Decision decision =
        new Scenario()
            .nodes(racks(6, 3, 4))
            .gangs(gang("g", 3).withLayout(Layout.ANY.withPreferred("rack")))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("r2-1", "r2-2", "r2-3");
  }

  @Test
  void putsNoMoreRanksIntoADomainThanTheSpreadAllows() {
    Decision decision =
        new Scenario()
            .nodes(racks(4, 4, 1))
            .gangs(gang("g", 5).withLayout(Layout.ANY.withSpread("rack", 2)))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("r1-1", "r1-2", "r2-1", "r2-2", "r3-1");
  }

  @Test
  void waitsWhereTheSpreadLeavesTooFewRanks() {
    List<Decision> plan =
        new Scenario()
            .nodes(racks(4, 4))
            .mayGrow()
            .gangs(gang("g", 3).withLayout(Layout.ANY.withSpread("rack", 1)))
            .plan();

    assertThat(((Wait) plan.getFirst()).reasons())
        .containsExactly(new WaitReason.NotApart(3, 1, false, "rack", 2, 2, 8));
  }

  @Test
  void givesEqualSharesToAsFewDomainsAsHoldThem() {
    List<Decision> plan =
        new Scenario()
            .nodes(racks(7, 3, 4, 2))
            .gangs(gang("g", 7).withLayout(Layout.ANY.balanced("rack").withRequired("zone")))
            .plan();
    // One rack of seven holds it whole, which is balanced; without it, four and three.
    assertThat(placed(plan.getFirst())).allMatch(id -> id.startsWith("r1-"));

    List<Decision> other =
        new Scenario()
            .nodes(racks(5, 3, 4, 2))
            .gangs(gang("g", 7).withLayout(Layout.ANY.balanced("rack")))
            .plan();
    assertThat(placed(other.getFirst()))
        .containsExactly("r2-1", "r2-2", "r2-3", "r3-1", "r3-2", "r3-3", "r3-4");
  }

  @Test
  void usesMoreDomainsWhenFewerCannotHoldEqualShares() {
    Decision decision =
        new Scenario()
            .nodes(racks(5, 2, 2, 1))
            .gangs(gang("g", 6).withLayout(Layout.ANY.balanced("rack")))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("r1-1", "r1-2", "r2-1", "r2-2", "r3-1", "r3-2");
  }
}

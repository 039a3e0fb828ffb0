// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Running.rack;
import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.at;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.rdma;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Requeue;
import dev.clustered.model.TopologyPath;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where replacements lie. */
class RepairDomainTest {

  private static final Layout IN_A_RACK = Layout.ANY.withRequired("rack");

  @Test
  void keepsToTheRackThatIsRequiredAndTellsItFromOneOfALikeName() {
    Running running =
        new Running()
            .nodes(rack("r1", 3))
            .nodes(rack("r10", 4))
            .runs(gang("g", 2).withLayout(IN_A_RACK), "r1-1", "r1-2")
            .lost("r1-2");

    assertThat(RepairTest.replaced(running.plan())).containsExactly("1: r1-2 -> r1-3");
    assertThat(RepairTest.reasons(running.gone("r1-3").plan()))
        .containsExactly("rank 1 lost node r1-2; zone=z/rack=r1 has no free node for it");
  }

  @Test
  void usesNoSpareOutsideTheRackThatIsRequired() {
    Running running =
        new Running()
            .nodes(rack("r1", 3))
            .nodes(rack("r2", 1))
            .runs(gang("g", 2).withLayout(IN_A_RACK).withSpares(1), "r1-1", "r1-2", "r2-1")
            .lost("r1-2");

    assertThat(RepairTest.replaced(running.plan())).containsExactly("1: r1-2 -> r1-3");
  }

  @Test
  void tellsRacksOfOneNameInTwoZonesApart() {
    NodeView elsewhere = at("y1", GPU, TopologyPath.of("zone", "y", "rack", "r1", "host", "y1"));
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 2))
            .nodes(elsewhere)
            .runs(gang("g", 2).withLayout(IN_A_RACK), "r1-1", "r1-2")
            .lost("r1-2")
            .plan();

    assertThat(plan).hasOnlyElementsOfType(Requeue.class);
  }

  @Test
  void findsTheRackOfANodeThatIsGoneFromThoseThatAreLeft() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 3))
            .nodes(rack("r2", 3))
            .runs(gang("g", 2).withLayout(IN_A_RACK), "r2-1", "r2-2")
            .gone("r2-1")
            .plan();

    assertThat(RepairTest.replaced(plan)).containsExactly("0: r2-1 -> r2-3");
  }

  @Test
  void keepsTheInnermostBlockThatIsBroken() {
    Running running = new Running();
    for (String block : List.of("b1", "b2")) {
      for (String rack : List.of("r1", "r2")) {
        for (int host = 1; host <= 3; host++) {
          String id = block + rack + host;
          running.nodes(
              at(id, GPU, TopologyPath.of("zone", "z", "block", block, "rack", rack, "host", id)));
        }
      }
    }
    running
        .runs(
            gang("g", 8).withLayout(Layout.ANY.withBlocks("block", 4).withBlocks("rack", 2)),
            "b1r11",
            "b1r12",
            "b1r21",
            "b1r22",
            "b2r11",
            "b2r12",
            "b2r21",
            "b2r22")
        .lost("b2r11");

    assertThat(RepairTest.replaced(running.plan())).containsExactly("4: b2r11 -> b2r13");
    assertThat(RepairTest.reasons(running.gone("b2r13").plan()))
        .containsExactly("rank 4 lost node b2r11; zone=z/block=b2/rack=r1 has no free node for it");
  }

  @Test
  void movesABlockThatIsLostWholeToOneOtherDomain() {
    List<Decision> plan =
        new Running()
            .nodes(rack("r1", 3))
            .nodes(rack("r2", 2))
            .nodes(rack("r3", 1))
            .nodes(rack("r4", 3))
            .runs(
                gang("g", 4).withLayout(Layout.ANY.withBlocks("rack", 2)),
                "r1-1",
                "r1-2",
                "r2-1",
                "r2-2")
            .lost("r1-1", "r1-2")
            .plan();

    assertThat(RepairTest.replaced(plan)).containsExactly("0: r1-1 -> r4-1", "1: r1-2 -> r4-2");
  }

  @Test
  void keepsAnRdmaGangOnItsFabric() {
    Running running =
        new Running()
            .nodes(node("a", FAST, "z", "f1"), node("b", FAST, "z", "f1"))
            .nodes(node("c", FAST, "z", "f2"))
            .runs(rdma(gang("g", 2)), "a", "b")
            .lost("a");

    assertThat(RepairTest.reasons(running.plan()))
        .containsExactly("rank 0 lost node a; zone=z/fabric=f1 has no free node for it");
    assertThat(RepairTest.replaced(running.nodes(node("d", FAST, "z", "f1")).plan()))
        .containsExactly("0: a -> d");
  }

  @Test
  void staysInItsZoneAndOnItsShape() {
    List<Decision> plan =
        new Running()
            .nodes(node("a", GPU, "z", ""), node("b", GPU, "z", ""))
            .nodes(node("c", GPU, "y", ""), node("d", SMALL, "z", ""))
            .runs(gang("g", 2), "a", "b")
            .lost("b")
            .plan();

    assertThat(plan).hasOnlyElementsOfType(Requeue.class);
  }

  @Test
  void keepsRanksApartThatAreSpread() {
    Layout apart = Layout.ANY.withSpread("rack", 1);
    Running running =
        new Running()
            .nodes(rack("r1", 3))
            .nodes(rack("r2", 1))
            .nodes(rack("r3", 1))
            .runs(gang("g", 2).withLayout(apart), "r1-1", "r2-1")
            .lost("r2-1");

    assertThat(RepairTest.replaced(running.plan())).containsExactly("1: r2-1 -> r3-1");
    assertThat(running.gone("r3-1").plan()).hasOnlyElementsOfType(Requeue.class);
  }
}

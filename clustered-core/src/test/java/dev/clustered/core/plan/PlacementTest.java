// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.at;
import static dev.clustered.core.plan.Scenario.busy;
import static dev.clustered.core.plan.Scenario.cpus;
import static dev.clustered.core.plan.Scenario.each;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.in;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.rdma;
import static dev.clustered.core.plan.Scenario.used;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class PlacementTest {

  private static List<String> placed(Decision decision) {
    assertThat(decision).isInstanceOf(Place.class);
    return ((Place) decision).assignments().stream().map(a -> a.node().value()).toList();
  }

  @Test
  void placesAGangOnFreeNodesWithAllTheirGpus() {
    Decision decision =
        new Scenario()
            .nodes(node("b", GPU, "z", ""), node("a", GPU, "z", ""))
            .gangs(gang("g", 2))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("a", "b");
    assertThat(((Place) decision).assignments())
        .extracting(Assignment::gpus)
        .containsOnly(List.of(0, 1, 2, 3, 4, 5, 6, 7));
  }

  @Test
  void placesNothingOfAGangThatLacksOneNode() {
    List<Decision> plan =
        new Scenario()
            .nodes(node("a", GPU, "z", ""), busy(node("b", GPU, "z", "")))
            .gangs(gang("g", 2))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
    assertThat(((Wait) plan.getFirst()).reasons())
        .containsExactly(
            new WaitReason.NotEnoughNodes(2, "zone z of local with shape gpu", 1, 1, 0));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "READY")
  void countsOnlyReadyNodesAsFree(NodeHealth health) {
    List<Decision> plan =
        new Scenario()
            .nodes(in(node("a", GPU, "z", ""), health), busy(node("b", GPU, "z", "")))
            .gangs(gang("g", 1))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
  }

  @Test
  void neverSpansZonesOrShapes() {
    List<Decision> plan =
        new Scenario()
            .nodes(
                node("a", GPU, "y", ""),
                node("b", GPU, "z", ""),
                node("c", SMALL, "z", ""),
                busy(node("d", GPU, "z", "")))
            .gangs(gang("g", 2))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
  }

  @Test
  void putsAnRdmaGangOnOneFabricThatHasItAll() {
    Decision decision =
        new Scenario()
            .nodes(
                node("a", FAST, "z", "f1"),
                node("b", FAST, "z", "f2"),
                node("c", FAST, "z", "f2"),
                node("d", GPU, "z", "f3"),
                node("e", GPU, "z", "f3"))
            .gangs(rdma(gang("g", 2)))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("b", "c");
  }

  @Test
  void takesWholeNodesForRdmaAndReadsTheResourcesAsTheLeastANodeHas() {
    Decision decision =
        new Scenario()
            .nodes(used(node("a", FAST, "z", "f1"), gpus(1)), node("b", FAST, "z", "f1"))
            .gangs(each(rdma(gang("g", 1)), gpus(2)))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("b");
    assertThat(((Place) decision).assignments().getFirst().gpus()).hasSize(8);
  }

  @Test
  void takesTheFabricWithTheFewestFreeNodesThatFits() {
    Decision decision =
        new Scenario()
            .nodes(
                node("a", FAST, "z", "f1"),
                node("b", FAST, "z", "f1"),
                node("c", FAST, "z", "f1"),
                node("d", FAST, "z", "f2"),
                node("e", FAST, "z", "f2"),
                node("f", FAST, "z", "f3"))
            .gangs(rdma(gang("g", 2)))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("d", "e");
  }

  @Test
  void spansFabricsOfAZoneOnlyWithoutRdma() {
    Scenario scenario =
        new Scenario().nodes(node("a", FAST, "z", "f1"), node("b", FAST, "z", "f2"));

    assertThat(placed(scenario.gangs(gang("g", 2)).plan().getFirst())).containsExactly("a", "b");
  }

  @Test
  void takesTheSmallestShapeThatDoes() {
    Decision decision =
        new Scenario()
            .nodes(node("a", GPU, "z", ""), node("b", SMALL, "z", ""))
            .gangs(gang("g", 1))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("b");
  }

  @Test
  void ordersRanksByTopologyAndPrefersOneRack() {
    Decision decision =
        new Scenario()
            .nodes(
                at("a", GPU, TopologyPath.of("zone", "z", "rack", "2")),
                at("b", GPU, TopologyPath.of("zone", "z", "rack", "1")),
                at("c", GPU, TopologyPath.of("zone", "z", "rack", "2")))
            .gangs(gang("two", 2))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("a", "c");
  }

  @Test
  void putsPartsOnNodesThatArePartlyUsedFirst() {
    Decision decision =
        new Scenario()
            .nodes(
                node("a", GPU, "z", ""),
                used(node("b", GPU, "z", ""), gpus(2)),
                used(node("c", GPU, "z", ""), gpus(5)))
            .gangs(each(gang("g", 1), gpus(3)))
            .plan()
            .getFirst();

    assertThat(decision)
        .isEqualTo(
            new Place(
                gang("g", 1).id(),
                List.of(new Assignment(new dev.clustered.model.NodeId("c"), List.of(5, 6, 7)))));
  }

  @Test
  void countsGpusCpusAndMemoryAsOneVector() {
    NodeView noCpu = used(node("a", GPU, "z", ""), cpus(16));
    List<Decision> plan =
        new Scenario()
            .nodes(noCpu)
            .gangs(
                each(
                    gang("g", 1),
                    new dev.clustered.model.Resources(1, "", 1, dev.clustered.model.ByteSize.ZERO)))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
  }

  @Test
  void sharesANodeBetweenGangsAndGivesNoGpuTwice() {
    List<Decision> plan =
        new Scenario()
            .nodes(node("a", GPU, "z", ""))
            .gangs(each(gang("g", 1), gpus(5)), each(gang("h", 1), gpus(3)))
            .plan();

    assertThat(plan)
        .extracting(d -> ((Place) d).assignments().getFirst().gpus())
        .containsExactly(List.of(0, 1, 2, 3, 4), List.of(5, 6, 7));
  }

  @Test
  void givesNoPartOfANodeThatThisPlanGaveAwayWhole() {
    List<Decision> plan =
        new Scenario()
            .nodes(node("a", GPU, "z", ""))
            .gangs(gang("g", 1), each(gang("h", 1), gpus(1)))
            .plan();

    assertThat(placed(plan.get(0))).containsExactly("a");
    assertThat(plan.get(1)).isInstanceOf(Wait.class);
  }

  @Test
  void givesTheRanksOfOneGangDifferentNodes() {
    List<Decision> plan =
        new Scenario().nodes(node("a", GPU, "z", "")).gangs(each(gang("g", 2), gpus(1))).plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Decision.Refuse.class);
  }
}

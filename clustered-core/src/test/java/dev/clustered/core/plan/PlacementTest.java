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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
            new WaitReason.NotEnoughNodes(2, "zone z of local with shape gpu", 1, 1, 0, List.of()));
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
                List.of(new Assignment(new dev.clustered.model.NodeId("c"), List.of(5, 6, 7))),
                List.of(),
                each(gang("g", 1), gpus(3)).roles()));
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

  private static GangRequest parts(String id, int ranks, int gpus, int perNode) {
    GangRequest gang = each(gang(id, ranks), gpus(gpus));
    return gang.withRoles(List.of(new Role("worker", ranks, gang.need().withPerNode(perNode))));
  }

  @Test
  void putsAsManyRanksOnANodeAsItHoldsAndTheNeedAllows() {
    List<NodeView> nodes = List.of(node("a", GPU, "z", ""), node("b", GPU, "z", ""));
    NodeView[] both = nodes.toArray(NodeView[]::new);

    Decision four = new Scenario().nodes(both).gangs(parts("g", 4, 2, 4)).plan().getFirst();
    assertThat(placed(four)).containsExactly("a", "a", "a", "a");
    assertThat(((Place) four).assignments())
        .extracting(Assignment::gpus)
        .containsExactly(List.of(0, 1), List.of(2, 3), List.of(4, 5), List.of(6, 7));

    Decision three = new Scenario().nodes(both).gangs(parts("g", 4, 2, 3)).plan().getFirst();
    assertThat(placed(three)).containsExactly("a", "a", "a", "b");

    Decision large = new Scenario().nodes(both).gangs(parts("g", 2, 5, 4)).plan().getFirst();
    assertThat(placed(large)).containsExactly("a", "b");
  }

  @Test
  void neverGivesANodeMoreRanksThanItsGpusMemoryOrCpusHold() {
    Decision refused =
        new Scenario()
            .nodes(node("a", GPU, "z", ""))
            .gangs(parts("g", 5, 2, Integer.MAX_VALUE))
            .plan()
            .getFirst();

    assertThat(refused).isInstanceOf(Decision.Refuse.class);
  }

  @Test
  void putsTwoPartsOnTheNodeOfOneVictim() {
    NodeView node = used(node("a", GPU, "z", ""), gpus(4));
    Decision decision = new Scenario().nodes(node).gangs(parts("g", 2, 2, 2)).plan().getFirst();

    assertThat(placed(decision)).containsExactly("a", "a");
  }

  @Test
  void leavesTheLargerRestToWhoNeedsIt() {
    List<Decision> plan =
        new Scenario()
            .nodes(
                used(node("a", GPU, "z", ""), gpus(6)),
                used(node("b", GPU, "z", ""), gpus(7)),
                used(node("c", GPU, "z", ""), gpus(7)))
            .gangs(each(gang("g", 2), gpus(1)), each(gang("h", 1), gpus(2)))
            .plan();

    assertThat(placed(plan.get(0))).containsExactly("b", "c");
    assertThat(placed(plan.get(1))).containsExactly("a");
  }

  @Test
  void usesTaintedNodesOnlyForRanksThatTolerateIt() {
    NodeView[] tainted = {
      node("a", GPU, "z", "").withTaints(Set.of("maintenance")),
      node("b", GPU, "z", "").withTaints(Set.of("maintenance"))
    };
    GangRequest other = gang("other", 2);
    GangRequest tolerates =
        gang("g", 2)
            .withRoles(List.of(new Role("w", 2, Need.WHOLE_NODE.withToleration("maintenance"))));
    List<Decision> plan = new Scenario().nodes(tainted).gangs(other, tolerates).plan();

    assertThat(plan.get(0)).isInstanceOf(Decision.Refuse.class);
    assertThat(placed(plan.get(1))).containsExactly("a", "b");
  }

  @Test
  void countsOnlyNodesThatSayWhatTheNeedAsks() {
    List<NodeView> nodes = new ArrayList<>();
    for (String id : List.of("r1-1", "r1-2", "r1-3", "r1-4", "r2-1", "r2-2", "r2-3", "r2-4")) {
      NodeView node =
          at(id, GPU, TopologyPath.of("zone", "z", "rack", id.substring(0, 2), "host", id));
      boolean says = !id.equals("r1-4");
      nodes.add(says ? node.withAttributes(Map.of("disk", "nvme")) : node);
    }
    Need need = Need.WHOLE_NODE.withAttribute("disk", "nvme");
    GangRequest gang =
        gang("g", 4)
            .withRoles(List.of(new Role("w", 4, need)))
            .withLayout(Layout.ANY.withRequired("rack"));
    Scenario scenario = new Scenario().nodes(nodes.toArray(NodeView[]::new));

    assertThat(placed(scenario.gangs(gang).plan().getFirst()))
        .containsExactly("r2-1", "r2-2", "r2-3", "r2-4");
    assertThat(
            new Scenario()
                .nodes(nodes.toArray(NodeView[]::new))
                .gangs(gang("h", 8).withRoles(List.of(new Role("w", 8, need))))
                .plan()
                .getFirst())
        .isInstanceOf(Decision.Refuse.class);
  }
}

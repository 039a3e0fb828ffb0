// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.at;
import static dev.clustered.core.plan.Scenario.busy;
import static dev.clustered.core.plan.Scenario.each;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.offer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class LayoutTest {

  private static final Layout IN_A_RACK = Layout.ANY.withRequired("rack");

  /** Racks of nodes in one zone; {@code r1-2} is the second node of the first rack. */
  private static NodeView[] racks(int... sizes) {
    List<NodeView> nodes = new ArrayList<>();
    for (int rack = 1; rack <= sizes.length; rack++) {
      for (int node = 1; node <= sizes[rack - 1]; node++) {
        nodes.add(inRack("r" + rack, "r" + rack + "-" + node));
      }
    }
    return nodes.toArray(NodeView[]::new);
  }

  private static NodeView inRack(String rack, String id) {
    return at(id, GPU, TopologyPath.of("zone", "z", "rack", rack, "host", id));
  }

  private static NodeView[] busyWhere(IntPredicate index, NodeView... nodes) {
    NodeView[] changed = nodes.clone();
    for (int i = 0; i < changed.length; i++) {
      changed[i] = index.test(i) ? busy(changed[i]) : changed[i];
    }
    return changed;
  }

  private static List<String> placed(Decision decision) {
    assertThat(decision).isInstanceOf(Place.class);
    return ((Place) decision).assignments().stream().map(a -> a.node().value()).toList();
  }

  @Test
  void takesTheRackWithLeastLeftOver() {
    Decision decision =
        new Scenario()
            .nodes(racks(6, 4, 5))
            .gangs(gang("g", 4).withLayout(IN_A_RACK))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("r2-1", "r2-2", "r2-3", "r2-4");
  }

  @Test
  void waitsWhereRacksTogetherHaveEnoughButNoneHas() {
    List<Decision> plan =
        new Scenario().nodes(racks(2, 3)).gangs(gang("g", 4).withLayout(IN_A_RACK)).plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
    assertThat(((Wait) plan.getFirst()).reasons())
        .containsExactly(new WaitReason.Fragmented(4, 1, "rack", "zone=z/rack=r2", 3, 5));
  }

  @Test
  void saysWhatIsFreeWhereALaunchCannotPromiseTheLayout() {
    List<Decision> plan =
        new Scenario()
            .nodes(busyWhere(i -> i == 0, racks(2)))
            .offers(offer(GPU, "z", 8, "1"))
            .gangs(gang("g", 2).withLayout(IN_A_RACK))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
    assertThat(((Wait) plan.getFirst()).reasons())
        .containsExactly(
            new WaitReason.NotEnoughNodes(2, "zone z of local with shape gpu", 1, 1, 0));
  }

  @Test
  void doesNotTakeNodesThatDoNotReportTheLevel() {
    List<Decision> plan =
        new Scenario()
            .nodes(
                at("a", GPU, TopologyPath.of("zone", "z", "host", "a")),
                at("b", GPU, TopologyPath.of("zone", "z", "host", "b")))
            .gangs(gang("g", 2).withLayout(IN_A_RACK))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
  }

  @Test
  void tellsAHostFromTheZoneOfItsName() {
    Decision decision =
        new Scenario()
            .nodes(at("z", GPU, TopologyPath.of("zone", "z", "rack", "z", "host", "z")))
            .gangs(gang("g", 1).withLayout(IN_A_RACK))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("z");
  }

  @Test
  void usesAsFewRacksAsItCanAndKeepsTheirRanksTogether() {
    Decision decision =
        new Scenario()
            .nodes(busyWhere(i -> i == 1, racks(4, 4, 2)))
            .gangs(gang("g", 6))
            .plan()
            .getFirst();

    assertThat(placed(decision)).containsExactly("r2-1", "r2-2", "r2-3", "r2-4", "r3-1", "r3-2");
  }

  @Test
  void putsSingleGpusIntoTheFullestRackSoThatOthersStayWhole() {
    List<Decision> plan =
        new Scenario()
            .nodes(busyWhere(i -> i > 5, racks(4, 4)))
            .gangs(each(gang("g", 1), gpus(1)), each(gang("h", 1), gpus(1)))
            .plan();

    assertThat(plan).extracting(d -> placed(d).getFirst()).containsExactly("r2-1", "r2-1");
  }

  @Test
  void keepsEveryBlockOfConsecutiveRanksInOneDomain() {
    Decision decision =
        new Scenario()
            .nodes(busyWhere(i -> i == 0, racks(4, 4, 4)))
            .gangs(gang("g", 8).withLayout(Layout.ANY.withBlocks("rack", 4)))
            .plan()
            .getFirst();

    assertThat(placed(decision))
        .containsExactly("r2-1", "r2-2", "r2-3", "r2-4", "r3-1", "r3-2", "r3-3", "r3-4");
  }

  @Test
  void waitsWhereBlocksDoNotFitAlthoughTheNodesWouldDo() {
    List<Decision> plan =
        new Scenario()
            .nodes(racks(3, 3, 3))
            .gangs(gang("g", 8).withLayout(Layout.ANY.withBlocks("rack", 4)))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
    assertThat(((Wait) plan.getFirst()).reasons())
        .containsExactly(new WaitReason.Fragmented(4, 2, "rack", "zone=z/rack=r1", 3, 9));
  }

  @Test
  void keepsBlocksInsideBlocks() {
    List<NodeView> nodes = new ArrayList<>();
    for (String block : List.of("b1", "b2")) {
      for (String rack : List.of("r1", "r2", "r3")) {
        for (int host = 1; host <= 2; host++) {
          String id = block + rack + "h" + host;
          nodes.add(
              at(id, GPU, TopologyPath.of("zone", "z", "block", block, "rack", rack, "host", id)));
        }
      }
    }
    Decision decision =
        new Scenario()
            .nodes(nodes.toArray(NodeView[]::new))
            .gangs(gang("g", 8).withLayout(Layout.ANY.withBlocks("block", 4).withBlocks("rack", 2)))
            .plan()
            .getFirst();

    List<String> placed = placed(decision);
    for (int rank = 0; rank < 8; rank += 2) {
      assertThat(placed.get(rank).substring(0, 4)).isEqualTo(placed.get(rank + 1).substring(0, 4));
    }
    for (int rank = 0; rank < 8; rank += 4) {
      assertThat(placed.subList(rank, rank + 4)).extracting(id -> id.substring(0, 2)).hasSize(4);
      assertThat(placed.subList(rank, rank + 4))
          .extracting(id -> id.substring(0, 2))
          .containsOnly(placed.get(rank).substring(0, 2));
    }
  }

  @Test
  void servesTheHigherPriorityFirst() {
    List<Decision> plan =
        new Scenario()
            .nodes(racks(2))
            .gangs(gang("early", 2), gang("important", 2).withPriority(1))
            .plan();

    assertThat(plan.getFirst()).isInstanceOf(Place.class);
    assertThat(((Place) plan.getFirst()).gang().value()).isEqualTo("important");
  }

  @Test
  void refusesLayoutsThatContradictThemselves() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Layout.ANY.withBlocks("block", 6).withBlocks("rack", 4))
        .withMessageContainingAll("6", "4", "rack");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Layout.ANY.withBlocks("rack", 4).withBlocks("rack", 2))
        .withMessageContaining("twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Layout.ANY.withBlocks("rack", 0))
        .withMessageContaining("received: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gang("g", 6).withLayout(Layout.ANY.withBlocks("rack", 4)))
        .withMessageContainingAll("gang g", "6 nodes", "4");
  }
}

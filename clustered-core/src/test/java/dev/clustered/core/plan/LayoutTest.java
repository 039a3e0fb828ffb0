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
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LayoutTest {

  private static final Layout IN_A_RACK = Layout.ANY.withRequired("rack");

  /** Racks of nodes in one zone; {@code r1-2} is the second node of the first rack. */
  static NodeView[] racks(int... sizes) {
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

  static List<String> placed(Decision decision) {
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
        new Scenario()
            .nodes(racks(2, 3))
            .mayGrow()
            .gangs(gang("g", 4).withLayout(IN_A_RACK))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
    assertThat(((Wait) plan.getFirst()).reasons())
        .containsExactly(
            new WaitReason.Fragmented(4, 1, "rack", "zone=z/rack=r2", 3, 5, 0, List.of(), 0));
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
            new WaitReason.NotEnoughNodes(2, "zone z of local with shape gpu", 1, 1, 0, List.of()));
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

    assertThat(plan).hasSize(1).first().isInstanceOf(Decision.Refuse.class);
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
            .mayGrow()
            .gangs(gang("g", 8).withLayout(Layout.ANY.withBlocks("rack", 4)))
            .plan();

    assertThat(plan).hasSize(1).first().isInstanceOf(Wait.class);
    assertThat(((Wait) plan.getFirst()).reasons())
        .containsExactly(
            new WaitReason.Fragmented(4, 2, "rack", "zone=z/rack=r1", 3, 9, 0, List.of(), 0));
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
  void keepsARingOfRanksContiguousByDomain() {
    List<String> placed =
        placed(new Scenario().nodes(racks(3, 2)).gangs(gang("ring", 5)).plan().getFirst());

    long hops =
        IntStream.range(0, 5)
            .filter(
                i -> !placed.get(i).substring(0, 2).equals(placed.get((i + 1) % 5).substring(0, 2)))
            .count();
    assertThat(hops).isEqualTo(2);
  }

  @Test
  void halfFillsNoCliqueWhenAnotherHoldsTheGang() {
    List<Decision> plan =
        new Scenario()
            .nodes(busyWhere(i -> i < 3, racks(4, 4)))
            .gangs(gang("g", 2).withLayout(IN_A_RACK))
            .plan();

    assertThat(placed(plan.getFirst())).containsExactly("r2-1", "r2-2");
  }

  @Test
  void takesTheIdleRackOfManyGpusInTheSameWayAfterARestart() {
    NodeView[] nodes = busyWhere(i -> i < 18, racks(18, 18));
    GangRequest gang = each(gang("g", 16), gpus(4)).withLayout(IN_A_RACK);
    List<Decision> plan = new Scenario().nodes(nodes).gangs(gang).plan();

    assertThat(placed(plan.getFirst())).hasSize(16).allMatch(id -> id.startsWith("r2-"));
    assertThat(new Scenario().nodes(nodes).gangs(gang).plan()).isEqualTo(plan);
  }

  @Test
  void putsGangsOnTheLeavesThatFitAndSinglesElsewhereFirst() {
    List<NodeView> nodes = new ArrayList<>();
    int[] leaves = {1, 1, 2, 2, 2, 3, 3, 3, 5, 5, 6, 8, 6, 6, 11};
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      for (int node = 0; node < leaves[leaf]; node++) {
        String id = "l%02d-%02d".formatted(leaf, node);
        String pod = leaf < 12 ? "p1" : "p2";
        nodes.add(
            at(id, GPU, TopologyPath.of("zone", "z", "pod", pod, "leaf", "l" + leaf, "host", id)));
      }
    }
    Layout inLeaf = Layout.ANY.withRequired("leaf");
    List<Decision> plan =
        new Scenario()
            .nodes(nodes.toArray(NodeView[]::new))
            .gangs(
                gang("g", 8).withLayout(inLeaf),
                gang("h", 8).withLayout(inLeaf),
                gang("s", 1),
                gang("t", 1))
            .plan();

    assertThat(placed(plan.get(0))).allMatch(id -> id.startsWith("l11-"));
    assertThat(placed(plan.get(1))).allMatch(id -> id.startsWith("l14-"));
    assertThat(placed(plan.get(2))).containsExactly("l00-00");
    assertThat(placed(plan.get(3))).containsExactly("l01-00");
  }

  @Test
  void findsTheOnlySpineWithRoom() {
    List<NodeView> nodes = new ArrayList<>();
    List<Integer> busy = List.of(1, 3, 6, 11, 12);
    for (int n = 1; n <= 12; n++) {
      String leaf = "l" + (n + 1) / 2;
      String spine = "s" + (n + 3) / 4;
      TopologyPath path =
          TopologyPath.of("zone", "z", "spine", spine, "leaf", leaf, "host", "n" + n);
      NodeView node = at("n" + n, GPU, path);
      nodes.add(busy.contains(n) ? busy(node) : node);
    }
    Decision decision =
        new Scenario().nodes(nodes.toArray(NodeView[]::new)).gangs(gang("g", 3)).plan().getFirst();

    assertThat(placed(decision)).containsExactly("n5", "n7", "n8");
  }

  @Test
  void keepsSixtyFourRanksInBlocksAndRacks() {
    List<NodeView> nodes = new ArrayList<>();
    for (int block = 1; block <= 3; block++) {
      for (int rack = 1; rack <= 3; rack++) {
        for (int host = 10; host < 28; host++) {
          String name = "b" + block + "r" + rack;
          String id = name + "h" + host;
          TopologyPath path =
              TopologyPath.of("zone", "z", "block", "b" + block, "rack", name, "host", id);
          nodes.add(at(id, GPU, path));
        }
      }
    }
    Layout layers = Layout.ANY.withBlocks("block", 32).withBlocks("rack", 16);
    List<String> placed =
        placed(
            new Scenario()
                .nodes(nodes.toArray(NodeView[]::new))
                .gangs(gang("g", 64).withLayout(layers))
                .plan()
                .getFirst());

    for (int rank = 0; rank < 64; rank++) {
      assertThat(placed.get(rank)).startsWith(placed.get(rank / 32 * 32).substring(0, 2));
      assertThat(placed.get(rank)).startsWith(placed.get(rank / 16 * 16).substring(0, 4));
    }
  }

  @Test
  void leavesAsManyRacksWholeAsItCan() {
    int[] sizes = new int[5];
    Arrays.fill(sizes, 18);
    GangRequest[] jobs = new GangRequest[100];
    for (int job = 0; job < jobs.length; job++) {
      jobs[job] = each(gang("j%03d".formatted(job), 1), gpus(2));
    }
    List<Decision> plan = new Scenario().nodes(racks(sizes)).gangs(jobs).plan();

    assertThat(plan.stream().flatMap(d -> placed(d).stream()).map(id -> id.substring(0, 2)))
        .hasSize(100)
        .containsOnly("r1", "r2");

    GangRequest ranks =
        gang("g", 100)
            .withRoles(
                List.of(
                    new Role("worker", 100, each(gang("x", 1), gpus(2)).need().withPerNode(4))));
    assertThat(placed(new Scenario().nodes(racks(sizes)).gangs(ranks).plan().getFirst()))
        .extracting(id -> id.substring(0, 2))
        .hasSize(100)
        .containsOnly("r1", "r2");
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

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.at;
import static dev.clustered.core.plan.Scenario.busy;
import static dev.clustered.core.plan.Scenario.each;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.in;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.ofShape;
import static dev.clustered.core.plan.Scenario.onBackend;
import static dev.clustered.core.plan.Scenario.rdma;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Why a gang waits, in numbers that add up. */
class ExplanationTest {

  private static List<String> reasons(Scenario pool) {
    return ((Wait) pool.plan().getLast()).reasons().stream().map(Object::toString).toList();
  }

  private static String refusal(Scenario pool) {
    return ((Refuse) pool.plan().getLast()).message();
  }

  private static NodeView there(String block, String rack, String id) {
    return at(id, GPU, TopologyPath.of("zone", "z", "block", block, "rack", rack, "host", id));
  }

  /** Racks r1, r2 … of so many nodes, in blocks of two racks. */
  private static List<NodeView> racks(int... nodes) {
    List<NodeView> all = new ArrayList<>();
    for (int rack = 1; rack <= nodes.length; rack++) {
      for (int i = 1; i <= nodes[rack - 1]; i++) {
        all.add(there("b" + (rack + 1) / 2, "r" + rack, "r" + rack + "-" + i));
      }
    }
    return all;
  }

  private static Scenario pool(List<NodeView> nodes) {
    return new Scenario().nodes(nodes.toArray(NodeView[]::new)).mayGrow();
  }

  @Test
  void tellsWhatIsOutOfUseFromWhatIsBusy() {
    Scenario pool =
        new Scenario()
            .nodes(
                node("a", GPU, "z", ""),
                busy(node("b", GPU, "z", "")),
                in(node("c", GPU, "z", ""), NodeHealth.CORDONED),
                in(node("d", GPU, "z", ""), NodeHealth.BOOTING),
                in(node("e", GPU, "z", ""), NodeHealth.BOOTING),
                in(node("f", GPU, "z", ""), NodeHealth.FAULTY),
                in(node("g", GPU, "z", ""), NodeHealth.LOST))
            .gangs(gang("g", 3));

    assertThat(reasons(pool))
        .containsExactly(
            "asked 3 nodes in one domain; best is zone z of local with shape gpu: 1 free, 1 busy,"
                + " 2 booting, 1 cordoned, 1 faulty, 1 lost, 0 could be launched");
  }

  @Test
  void saysHowMuchIsOutOfUseWhereAllIs() {
    Scenario pool =
        new Scenario()
            .nodes(
                in(node("a", GPU, "z", ""), NodeHealth.LOST),
                in(node("b", GPU, "z", ""), NodeHealth.FAULTY))
            .gangs(gang("g", 2));

    assertThat(reasons(pool))
        .containsExactly(
            "asked 2 nodes in one domain; best is zone z of local with shape gpu: 0 free, 0 busy,"
                + " 1 faulty, 1 lost, 0 could be launched");
  }

  @Test
  void saysWhichTaintsAndAttributesKeepIdleNodesFromIt() {
    Need need =
        Need.WHOLE_NODE.withToleration("ours").withAttribute("os", "a").withAttribute("disk", "x");
    Map<String, String> says = Map.of("os", "a", "disk", "x");
    Scenario pool =
        new Scenario()
            .nodes(
                node("a", GPU, "z", "").withAttributes(says).withTaints(Set.of("ours")),
                busy(node("b", GPU, "z", "")).withAttributes(says),
                node("c", GPU, "z", "").withAttributes(says).withTaints(Set.of("ours", "theirs")),
                node("d", GPU, "z", "").withAttributes(says).withTaints(Set.of("theirs")),
                node("e", GPU, "z", "").withAttributes(Map.of("os", "b", "disk", "x")),
                node("f", GPU, "z", "").withAttributes(Map.of("os", "a")))
            .mayGrow();
    pool.gangs(gang("g", 2).withRoles(List.of(new Role(Role.ONLY, 2, need))));

    assertThat(reasons(pool))
        .containsExactly(
            "asked 2 nodes in one domain; best is zone z of local with shape gpu: 1 free, 1 busy,"
                + " 1 lost, 2 with the taint theirs, 1 without disk=x, 1 without os=a, 0 could be"
                + " launched");
  }

  @Test
  void saysWhatIsIdleElsewhereAndWhyItIsNotForTheGang() {
    Scenario pool =
        new Scenario()
            .nodes(
                node("a", FAST, "z", "f"),
                busy(node("b", FAST, "z", "f")),
                node("c", FAST, "z", "g"),
                node("d", FAST, "y", "h").withTaints(Set.of("t")),
                node("e", GPU, "z", ""),
                busy(node("x", GPU, "z", "")))
            .gangs(rdma(gang("g", 2)));

    assertThat(reasons(pool))
        .containsExactly(
            "asked 2 nodes in one domain; best is fabric f in zone z of local with shape fast: 1"
                + " free, 1 busy, 0 could be launched",
            "3 nodes elsewhere are idle and not for it: 1 with the taint t, 1 without RDMA of 1"
                + " Gb/s, 1 outside of fabric f in zone z of local with shape fast");
  }

  @Test
  void saysWhichNodesAreOfAnotherKindThanItAsksFor() {
    Scenario pool =
        new Scenario()
            .nodes(
                node("a", GPU, "z", ""), busy(node("b", SMALL, "z", "")), node("c", SMALL, "y", ""))
            .gangs(ofShape(gang("g", 1), "small"), ofShape(gang("h", 1), "small"));
    assertThat(reasons(pool)).last().asString().contains("1 of another shape than small");

    pool.waiting.clear();
    pool.nodes.set(0, busy(pool.nodes.getFirst()));
    pool.gangs(each(gang("g", 1), gpus(1)));
    assertThat(reasons(pool))
        .last()
        .isEqualTo(
            "1 node elsewhere is idle and not for it: 1 of a shape without 1 × GPU, 0 CPUs, 0 B");

    pool.waiting.clear();
    pool.nodes.clear();
    pool.nodes(busy(node("a", GPU, "z", "")), node("b", GPU, "z", ""));
    pool.gangs(onBackend(gang("g", 1), "far"));
    assertThat(refusal(pool))
        .isEqualTo("no node and no offer is of the backend far; there are: [local]");
  }

  @Test
  void saysHowManyWholeBlocksThereIsRoomFor() {
    Scenario pool = pool(racks(4, 5, 3, 3));
    pool.gangs(gang("g", 12).withLayout(Layout.ANY.withBlocks("rack", 4)));

    assertThat(reasons(pool))
        .containsExactly(
            "asked 3 blocks of 4 nodes, each in one rack; best is zone=z/block=b1/rack=r2: 5 free;"
                + " 15 are free together, with room for 2 such blocks: fragmentation, not"
                + " capacity");
  }

  @Test
  void saysThatInnerBlocksFailWhereTheDomainAroundThemHasEnough() {
    Scenario pool = pool(racks(3, 3, 1, 1));
    pool.gangs(gang("g", 4).withLayout(Layout.ANY.withRequired("block").withBlocks("rack", 4)));
    assertThat(reasons(pool))
        .containsExactly(
            "asked 4 nodes in one rack; best is zone=z/block=b1/rack=r1: 3 free; 6 are free in the"
                + " zone, but not so together: fragmentation, not capacity");

    pool.waiting.clear();
    pool.gangs(gang("g", 4).withLayout(Layout.ANY.withBlocks("block", 4).withBlocks("rack", 2)));
    assertThat(pool.plan().getFirst()).isInstanceOf(Decision.Place.class);
    pool.nodes.removeIf(node -> node.id().value().endsWith("-3"));
    pool.nodes.removeIf(node -> node.id().value().equals("r2-2"));
    pool.nodes(there("b1", "r5", "r5-1"));
    assertThat(reasons(pool))
        .as("four in the block, and two of the racks in it have one alone")
        .containsExactly(
            "asked 2 blocks of 2 nodes, each in one rack; best is zone=z/block=b1/rack=r1: 2 free;"
                + " 6 are free together, with room for 1 such blocks: fragmentation, not capacity");
  }

  @Test
  void namesWhatIsOutOfUseInTheBestDomain() {
    List<NodeView> nodes = racks(4, 3);
    nodes.set(0, in(nodes.getFirst(), NodeHealth.CORDONED));
    Scenario pool = pool(nodes);
    pool.gangs(gang("g", 4).withLayout(Layout.ANY.withRequired("rack")));

    assertThat(reasons(pool))
        .containsExactly(
            "asked 4 nodes in one rack; best is zone=z/block=b1/rack=r1: 3 free, 1 cordoned; 6 are"
                + " free in the zone, but not so together: fragmentation, not capacity");
  }

  @Test
  void saysHowManyDomainsASpreadLacks() {
    Scenario pool = pool(racks(4, 4));
    pool.gangs(gang("g", 5).withLayout(Layout.ANY.withSpread("rack", 2)));
    assertThat(reasons(pool))
        .containsExactly(
            "asked 5 nodes, no more than 2 in one rack; 8 are free together, in 2 domains of that"
                + " level, with room for 4 so: too few domains, not too few nodes");
  }

  @Test
  void tellsAGangThatCanNeverBeWhatWouldFit() {
    Scenario pool = new Scenario().nodes(racks(3, 3).toArray(NodeView[]::new));
    pool.gangs(gang("g", 4).withLayout(Layout.ANY.withBlocks("rack", 4)));
    assertThat(refusal(pool))
        .endsWith(
            "even if all nodes were free; the largest rack has 3 of the 4 nodes that must be"
                + " together; ask for so many or fewer nodes in a block, or for a level further"
                + " out");

    pool.waiting.clear();
    pool.gangs(gang("g", 6).withLayout(Layout.ANY.withBlocks("rack", 2)));
    assertThat(refusal(pool))
        .endsWith(
            "there is room for 2 of 3 blocks of 2 nodes in one rack; ask for so many or fewer"
                + " blocks, or for smaller ones");

    pool.waiting.clear();
    pool.gangs(gang("g", 4).withLayout(Layout.ANY.withRequired("rack")));
    assertThat(refusal(pool)).contains("the largest rack has 3 of the 4 nodes");

    pool.waiting.clear();
    pool.gangs(gang("g", 3).withLayout(Layout.ANY.withSpread("rack", 1)));
    assertThat(refusal(pool)).contains("there is room for 2 of 3 nodes so");
  }

  @Test
  void tellsAGangThatCanNeverBeWhichNodesAreClosedToIt() {
    Scenario pool =
        new Scenario()
            .nodes(
                node("a", GPU, "z", ""),
                node("b", GPU, "z", "").withTaints(Set.of("t")),
                busy(node("c", GPU, "z", "")).withTaints(Set.of("t")))
            .gangs(gang("g", 2));

    assertThat(refusal(pool))
        .isEqualTo(
            "asked 2 nodes in one zone; the most that could ever be in one zone is 1, in zone z of"
                + " local with shape gpu, beside those that are not for it: 2 with the taint t; ask"
                + " for so many or fewer");
  }
}

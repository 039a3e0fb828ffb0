// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.RDMA;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.at;
import static dev.clustered.core.plan.Scenario.busy;
import static dev.clustered.core.plan.Scenario.cpus;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.gpus;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.offer;
import static dev.clustered.core.plan.Scenario.used;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.Resources;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Gangs of several roles, of no fixed size, with spares, or with more than one way. */
class RolesTest {

  private static final Layout IN_A_RACK = Layout.ANY.withRequired("rack");

  private static Need part(Resources each) {
    return new Need(Optional.empty(), Optional.empty(), Optional.of(each), Optional.empty());
  }

  private static Need shape(String name) {
    return new Need(Optional.empty(), Optional.of(name), Optional.empty(), Optional.empty());
  }

  private static Need rdma() {
    return new Need(Optional.empty(), Optional.empty(), Optional.empty(), RDMA);
  }

  private static GangRequest roles(String id, Role... roles) {
    return gang(id, 1).withRoles(List.of(roles));
  }

  private static NodeView[] racks(int... sizes) {
    List<NodeView> nodes = new ArrayList<>();
    for (int rack = 1; rack <= sizes.length; rack++) {
      for (int node = 1; node <= sizes[rack - 1]; node++) {
        String id = "r" + rack + "-" + node;
        nodes.add(at(id, GPU, TopologyPath.of("zone", "z", "rack", "r" + rack, "host", id)));
      }
    }
    return nodes.toArray(NodeView[]::new);
  }

  private static List<String> nodes(List<Decision.Assignment> assignments) {
    return assignments.stream().map(a -> a.node().value()).toList();
  }

  private static Place placed(Decision decision) {
    assertThat(decision).isInstanceOf(Place.class);
    return (Place) decision;
  }

  private static Place placed(Scenario scenario) {
    return placed(scenario.plan().getFirst());
  }

  @Test
  void givesRolesOfARackDifferentNodes() {
    GangRequest gang =
        roles("g", new Role("a", 2, Need.WHOLE_NODE), new Role("b", 2, Need.WHOLE_NODE))
            .withLayout(IN_A_RACK);

    Place place = placed(new Scenario().nodes(racks(3, 4)).gangs(gang));

    assertThat(nodes(place.assignments())).containsExactly("r2-1", "r2-2", "r2-3", "r2-4");
    assertThat(place.roles()).isEqualTo(gang.roles());
    assertThat(new Scenario().nodes(racks(3, 3)).gangs(gang).plan().getFirst())
        .isInstanceOf(Decision.Refuse.class);
  }

  @Test
  void fitsALeaderBesideWorkersThatNeedMore() {
    Role leader = new Role("leader", 1, part(gpus(1)).withPerNode(8));
    Role workers = new Role("workers", 4, part(gpus(2)).withPerNode(8));
    NodeView[] hosts = {
      used(node("two", GPU, "z", ""), gpus(6)),
      used(node("four", GPU, "z", ""), gpus(4)),
      used(node("three", GPU, "z", ""), gpus(5))
    };

    Place place = placed(new Scenario().nodes(hosts).gangs(roles("g", leader, workers)));

    assertThat(nodes(place.assignments())).containsExactly("three", "four", "four", "three", "two");
  }

  @Test
  void countsTheRanksOfAllRolesOnANode() {
    Role one = new Role("one", 1, part(gpus(1)));
    Role other = new Role("other", 1, part(cpus(1)));

    assertThat(
            new Scenario()
                .nodes(node("a", GPU, "z", ""))
                .gangs(roles("g", one, other))
                .plan()
                .getFirst())
        .isInstanceOf(Wait.class);
    Place place =
        placed(
            new Scenario()
                .nodes(node("a", GPU, "z", ""), node("b", GPU, "z", ""))
                .gangs(roles("g", one, other)));
    assertThat(nodes(place.assignments())).containsExactly("a", "b");
  }

  @Test
  void keepsEachRoleInADomainOfItsOwnInsideThatOfTheGang() {
    List<NodeView> nodes = new ArrayList<>();
    for (String rack : List.of("b1r1", "b1r2", "b2r1", "b2r2")) {
      for (int host = 1; host <= (rack.equals("b1r2") ? 2 : 3); host++) {
        String id = rack + "h" + host;
        String block = rack.substring(0, 2);
        nodes.add(
            at(id, GPU, TopologyPath.of("zone", "z", "block", block, "rack", rack, "host", id)));
      }
    }
    Role small = new Role("small", 2, Need.WHOLE_NODE).withLayout(IN_A_RACK);
    Role large = new Role("large", 3, Need.WHOLE_NODE).withLayout(IN_A_RACK);
    GangRequest gang = roles("g", small, large).withLayout(Layout.ANY.withRequired("block"));
    NodeView[] all = nodes.toArray(NodeView[]::new);

    assertThat(nodes(placed(new Scenario().nodes(all).gangs(gang)).assignments()))
        .containsExactly("b1r2h1", "b1r2h2", "b1r1h1", "b1r1h2", "b1r1h3");

    GangRequest never =
        roles("g", large, new Role("other", 1, Need.WHOLE_NODE))
            .withLayout(Layout.ANY.withRequired("rack"));
    assertThat(new Scenario().nodes(all).gangs(never).plan().getFirst())
        .isInstanceOf(Decision.Refuse.class);
  }

  @Test
  void triesAnotherDomainForARoleWhenALaterOneFindsNoRoom() {
    List<NodeView> nodes = new ArrayList<>();
    for (NodeView node : racks(2, 3)) {
      boolean says = !node.id().value().matches("r2-[23]");
      nodes.add(says ? node.withAttributes(Map.of("disk", "nvme")) : node);
    }
    // The first role would take the tighter rack, which alone has room for the second.
    Role any = new Role("any", 2, Need.WHOLE_NODE).withLayout(IN_A_RACK);
    Role nvme =
        new Role("nvme", 2, Need.WHOLE_NODE.withAttribute("disk", "nvme")).withLayout(IN_A_RACK);

    Place place =
        placed(new Scenario().nodes(nodes.toArray(NodeView[]::new)).gangs(roles("g", any, nvme)));

    assertThat(nodes(place.assignments())).containsExactly("r2-1", "r2-2", "r1-1", "r1-2");
  }

  @Test
  void putsRolesOnTheSmallestShapesThatDoInOneZone() {
    Role head = new Role("head", 1, part(cpus(4)));
    Role workers = new Role("workers", 2, shape("gpu"));
    NodeView[] nodes = {
      node("y1", SMALL, "y", ""),
      node("y2", GPU, "y", ""),
      node("z1", SMALL, "z", ""),
      node("z2", GPU, "z", ""),
      node("z3", GPU, "z", "")
    };

    Place place = placed(new Scenario().nodes(nodes).gangs(roles("g", head, workers)));

    assertThat(nodes(place.assignments())).containsExactly("z1", "z2", "z3");
  }

  @Test
  void keepsRanksWithRdmaOnOneFabricAndTheOthersInItsZone() {
    Role workers = new Role("workers", 2, rdma());
    Role head = new Role("head", 1, part(cpus(1)));
    Role more = new Role("more", 1, rdma());
    NodeView[] nodes = {
      node("a", FAST, "z", "f1"),
      node("b", FAST, "z", "f1"),
      node("c", FAST, "z", "f2"),
      node("d", FAST, "z", "f2"),
      node("e", FAST, "z", "f2"),
      node("h", SMALL, "z", "")
    };

    Place place = placed(new Scenario().nodes(nodes).gangs(roles("g", head, workers, more)));

    assertThat(nodes(place.assignments())).containsExactly("h", "c", "d", "e");
  }

  @Test
  void givesAnElasticGangAsMuchAsFitsAndNeverLessThanItsMinimum() {
    Role worker = new Role("worker", 8, Need.WHOLE_NODE).withMinimum(3);

    Place whole = placed(new Scenario().nodes(racks(3, 9)).gangs(roles("g", worker)));
    assertThat(nodes(whole.assignments())).hasSize(8).allMatch(id -> id.startsWith("r2-"));

    GangRequest inRack = roles("g", worker).withLayout(IN_A_RACK);
    Place most = placed(new Scenario().nodes(racks(3, 5, 4)).gangs(inRack));
    assertThat(nodes(most.assignments())).hasSize(5).allMatch(id -> id.startsWith("r2-"));
    assertThat(most.roles()).extracting(Role::nodes, Role::minimum).containsExactly(tuple(5, 3));

    assertThat(new Scenario().nodes(racks(2, 2)).gangs(inRack).plan().getFirst())
        .isInstanceOf(Decision.Refuse.class);
  }

  @Test
  void growsAnElasticGangByWholeBlocks() {
    Role worker = new Role("worker", 8, Need.WHOLE_NODE).withMinimum(2);
    GangRequest gang = roles("g", worker).withLayout(Layout.ANY.withBlocks("rack", 2));

    Place place = placed(new Scenario().nodes(racks(3, 3, 1)).gangs(gang));

    assertThat(nodes(place.assignments())).containsExactly("r1-1", "r1-2", "r2-1", "r2-2");
  }

  @Test
  void growsTheFirstOfSeveralElasticRolesFirst() {
    Role first = new Role("first", 4, Need.WHOLE_NODE).withMinimum(1);
    Role second = new Role("second", 4, Need.WHOLE_NODE).withMinimum(2);
    Place equal = placed(new Scenario().nodes(racks(5)).gangs(roles("g", first, second)));
    assertThat(equal.roles()).extracting(Role::nodes).containsExactly(3, 2);

    Role small = new Role("small", 4, part(gpus(4)).withPerNode(2)).withMinimum(1);
    Place mixed = placed(new Scenario().nodes(racks(3)).gangs(roles("g", small, second)));
    assertThat(mixed.roles()).extracting(Role::nodes).containsExactly(2, 2);
    assertThat(nodes(mixed.assignments()).subList(2, 4)).doesNotHaveDuplicates();
  }

  @Test
  void holdsSparesWithTheGangOrPlacesNothing() {
    GangRequest gang = gang("g", 3).withSpares(1).withLayout(IN_A_RACK);

    Place place = placed(new Scenario().nodes(racks(3, 5, 4)).gangs(gang));
    assertThat(nodes(place.assignments())).containsExactly("r3-1", "r3-2", "r3-3");
    assertThat(nodes(place.spares())).containsExactly("r3-4");

    assertThat(new Scenario().nodes(racks(3, 3)).gangs(gang).plan().getFirst())
        .isInstanceOf(Decision.Refuse.class);
    assertThat(new Scenario().nodes(racks(1, 2)).gangs(gang("g", 3).withSpares(1)).plan())
        .first()
        .isInstanceOf(Decision.Refuse.class);
  }

  @Test
  void takesSparesFromAroundTheGangWithinWhatItAsks() {
    Place place = placed(new Scenario().nodes(racks(3, 5)).gangs(gang("g", 3).withSpares(1)));

    assertThat(nodes(place.assignments())).containsExactly("r1-1", "r1-2", "r1-3");
    assertThat(nodes(place.spares())).containsExactly("r2-1");
  }

  @Test
  void putsNoSpareOnANodeWithARank() {
    GangRequest gang = roles("g", new Role("w", 4, part(gpus(2)).withPerNode(4))).withSpares(1);

    Place place =
        placed(new Scenario().nodes(node("a", GPU, "z", ""), node("b", GPU, "z", "")).gangs(gang));
    assertThat(nodes(place.assignments())).containsOnly("a");
    assertThat(nodes(place.spares())).containsExactly("b");
    assertThat(new Scenario().nodes(node("a", GPU, "z", "")).gangs(gang).plan().getFirst())
        .isNotInstanceOf(Place.class);
  }

  @Test
  void takesTheFirstOfItsWaysForWhichThereIsRoom() {
    GangRequest gang =
        roles("g", new Role("w", 4, shape("gpu")))
            .withAlternatives(
                List.of(
                    List.of(new Role("w", 3, shape("fast"))),
                    List.of(new Role("w", 2, shape("gpu")))));

    Place place =
        placed(
            new Scenario()
                .nodes(racks(3))
                .nodes(node("f1", FAST, "z", "f"), busy(node("f2", FAST, "z", "f")))
                .nodes(busy(node("g4", GPU, "z", "")))
                .gangs(gang));

    assertThat(nodes(place.assignments())).containsExactly("r1-1", "r1-2");
    assertThat(place.roles()).isEqualTo(gang.alternatives().get(1));
  }

  @Test
  void launchesTheCheaperOfTheWays() {
    GangRequest gang =
        roles("g", new Role("w", 4, shape("gpu")))
            .withAlternatives(List.of(List.of(new Role("w", 2, shape("fast")))));

    List<Decision> plan =
        new Scenario().offers(offer(GPU, "z", 8, "2"), offer(FAST, "z", 8, "3")).gangs(gang).plan();
    assertThat(plan)
        .containsExactly(new Launch(gang.id(), offer(FAST, "z", 8, "3"), 2, Optional.empty()));

    List<Decision> equal =
        new Scenario().offers(offer(GPU, "z", 8, "2"), offer(FAST, "z", 8, "4")).gangs(gang).plan();
    assertThat(equal)
        .containsExactly(new Launch(gang.id(), offer(GPU, "z", 8, "2"), 4, Optional.empty()));
  }

  @Test
  void launchesOnceForEachNeedInOneZoneWithTheSpares() {
    GangRequest gang =
        roles("g", new Role("w", 2, shape("gpu")), new Role("head", 1, part(cpus(1))))
            .withSpares(1);

    List<Decision> plan =
        new Scenario()
            .offers(offer(GPU, "y", 3, "1"), offer(GPU, "z", 8, "2"), offer(SMALL, "z", 8, "1"))
            .gangs(gang)
            .plan();

    assertThat(plan)
        .containsExactly(
            new Launch(gang.id(), offer(GPU, "z", 8, "2"), 3, Optional.empty()),
            new Launch(gang.id(), offer(SMALL, "z", 8, "1"), 1, Optional.empty()));
    // Zone z has three nodes for both shapes together, which is one too few.
    assertThat(
            new Scenario()
                .offers(offer(GPU, "z", 3, "2"), offer(SMALL, "z", 3, "1"))
                .gangs(gang)
                .plan()
                .getFirst())
        .isNotInstanceOf(Launch.class);
  }

  @Test
  void launchesAsManyNodesAsTheRanksTake() {
    GangRequest gang = roles("g", new Role("w", 5, part(gpus(4)).withPerNode(4)));

    assertThat(new Scenario().offers(offer(GPU, "z", 8, "1")).gangs(gang).plan())
        .containsExactly(new Launch(gang.id(), offer(GPU, "z", 8, "1"), 3, Optional.empty()));
  }

  @Test
  void refusesLayoutsOfRolesAndGangThatContradictOneAnother() {
    Role blocks = new Role("w", 4, Need.WHOLE_NODE).withLayout(Layout.ANY.withBlocks("rack", 2));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> roles("g", blocks).withLayout(Layout.ANY.withSpread("rack", 1)))
        .withMessageContaining("gang g");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                roles("g", new Role("a", 2, Need.WHOLE_NODE), new Role("b", 2, part(gpus(1))))
                    .withLayout(Layout.ANY.withBlocks("rack", 2)))
        .withMessageContaining("gang g");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                roles("g", new Role("a", 4, Need.WHOLE_NODE).withMinimum(3))
                    .withLayout(Layout.ANY.withBlocks("rack", 2)))
        .withMessageContaining("3 to 4");
  }
}

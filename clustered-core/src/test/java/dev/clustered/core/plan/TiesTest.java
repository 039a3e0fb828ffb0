// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.at;
import static dev.clustered.core.plan.Scenario.each;
import static dev.clustered.core.plan.Scenario.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Place;
import dev.clustered.model.Resources;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TiesTest {

  private static final Layout IN_A_RACK = Layout.ANY.withRequired("rack");
  private static final Duration HOUR = Duration.ofHours(1);

  /** Free nodes; {@code r1-2} is the second one of the first rack. */
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

  private static GangRequest gang(String id, int nodes) {
    return Scenario.gang(id, nodes).withLayout(IN_A_RACK);
  }

  private static GangRequest since(Instant queuedAt, GangRequest gang) {
    return new GangRequest(
        gang.id(),
        queuedAt,
        gang.roles(),
        gang.layout(),
        gang.spares(),
        gang.terms(),
        gang.alternatives(),
        gang.claim());
  }

  private static List<String> placed(NodeView[] nodes, GangRequest... gangs) {
    return new Scenario()
        .nodes(nodes).gangs(gangs).plan().stream()
            .filter(Place.class::isInstance)
            .map(place -> ((Place) place).gang().value())
            .toList();
  }

  @Test
  void gangsThatTieAreArrangedSoThatMostIsUsed() {
    assertThat(placed(racks(5, 5), gang("a", 4), gang("b", 4), gang("c", 5), gang("d", 5)))
        .containsExactly("c", "d");
  }

  @Test
  void eachArrangedGangIsInItsOwnRackWhole() {
    List<Decision> plan =
        new Scenario()
            .nodes(racks(4, 6))
            .gangs(gang("a", 3), gang("b", 3), gang("c", 2), gang("d", 3), gang("e", 2))
            .plan();

    assertThat(plan).filteredOn(Place.class::isInstance).hasSize(4);
    assertThat(plan)
        .filteredOn(Place.class::isInstance)
        .allSatisfy(
            place ->
                assertThat(((Place) place).assignments())
                    .extracting(assignment -> assignment.node().value().substring(0, 2))
                    .containsOnly(
                        ((Place) place).assignments().getFirst().node().value().substring(0, 2)));
  }

  @Test
  void servesThemInTheirTurnsWhenAllOfThemFit() {
    assertThat(placed(racks(5, 7), gang("a", 4), gang("b", 1), gang("c", 7)))
        .containsExactly("a", "b", "c");
  }

  @Test
  void theFirstOneThatWaitedForNodesGetsThem() {
    Instant before = NOW.minusSeconds(60);

    assertThat(
            placed(
                racks(5, 5),
                since(before, gang("a", 4)),
                since(before, gang("b", 4)),
                since(before, gang("c", 5)),
                since(before, gang("d", 5))))
        .containsExactly("a", "c");
  }

  @Test
  void aGangThatWaitsLongerOrHasAHigherPriorityIsNotPassedOver() {
    assertThat(placed(racks(5), gang("a", 5), since(NOW.minusSeconds(1), gang("b", 4))))
        .containsExactly("b");
    assertThat(placed(racks(5), gang("a", 5), gang("b", 4).withPriority(1))).containsExactly("b");
  }

  @Test
  void gangsOfWhichSeveralHaveRoomOnANodeAreServedInTheirTurns() {
    Resources half = gpus(4);

    assertThat(
            placed(
                racks(5),
                each(Scenario.gang("a", 4), half).withLayout(IN_A_RACK),
                each(Scenario.gang("b", 5), half).withLayout(IN_A_RACK),
                each(Scenario.gang("c", 5), half).withLayout(IN_A_RACK)))
        .containsExactly("a", "b");
  }

  @Test
  void gangsThatWantOtherThingsAreServedInTheirTurn() {
    GangRequest spared = gang("b", 4).withSpares(1);

    assertThat(placed(racks(5, 5), gang("a", 4), spared, gang("c", 5), gang("d", 5)))
        .containsExactly("a", "b");
  }

  @Test
  void aGangThatIsRefusedIsPassedOver() {
    Scenario scenario =
        new Scenario()
            .nodes(racks(5, 5))
            .gangs(gang("a", 9), gang("b", 4), gang("c", 5), gang("d", 5));
    scenario.waiting.replaceAll(gang -> gang.withTerms(gang.terms().withTimeLimit(HOUR)));

    assertThat(scenario.plan())
        .filteredOn(Place.class::isInstance)
        .extracting(Decision.Place.class::cast)
        .extracting(place -> place.gang().value())
        .containsExactly("c", "d");
  }
}

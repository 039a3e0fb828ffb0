// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.offer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What contradicts itself is refused where it is made. */
class ContradictionsTest {

  private static void refuses(ThrowingCallable made, String message) {
    assertThatThrownBy(made)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private static Claim claim(int nodes) {
    return new Claim(IntStream.range(0, nodes).mapToObj(i -> new NodeId("n" + i)).toList(), NOW);
  }

  @Test
  void promisesAreAsLargeAsTheirGang() {
    GangRequest four = gang("g", 4).withSpares(1);
    refuses(
        () -> four.withClaim(claim(4)),
        "gang g starts with 5 nodes, spares among them, and is promised as many; received: 4");
    refuses(() -> four.withClaim(claim(6)), "received: 6");
    assertThat(four.withClaim(claim(5)).claim()).contains(claim(5));

    GangRequest either = four.withAlternatives(List.of(gang("g", 2).roles()));
    refuses(() -> either.withClaim(claim(4)), "gang g starts with 5 or 3 nodes");
    assertThat(either.withClaim(claim(3)).claim()).contains(claim(3));
  }

  @Test
  void gangsEndNoEarlierThanTheyStarted() {
    Instant before = NOW.minusNanos(1);
    refuses(
        () -> new RunningGang(gang("g", 1), List.of(), NOW, Optional.of(before)),
        "gang g started at %s and ends no earlier; received: %s".formatted(NOW, before));
    assertThat(new RunningGang(gang("g", 1), List.of(), NOW, Optional.of(NOW)).expectedEnd())
        .contains(NOW);
  }

  @Test
  void gangsThatGoOnEndForNobody() {
    RunningGang ending =
        new RunningGang(gang("g", 1), List.of(), NOW, Optional.empty())
            .endingFor(new ClusterId("h"));
    refuses(
        () -> ending.withPhase(RunningGang.Phase.RUNNING),
        "gang g ends for another only when it ends; received: RUNNING, for h");
  }

  @Test
  void launchesAreLateNoEarlierThanTheyWereDecided() {
    Optional<Instant> decided = Optional.of(NOW);
    Optional<Instant> late = Optional.of(NOW.minus(Duration.ofSeconds(1)));
    refuses(
        () ->
            new LaunchView(
                new LaunchId("l"),
                new ClusterId("g"),
                offer(GPU, "z", 1, "1"),
                1,
                decided,
                0,
                late),
        "launch l, decided at " + NOW + ", is late no earlier; received: " + late.get());
  }

  @Test
  void levelsLieInOneAnotherOneWay() {
    LevelOrder order = new LevelOrder();
    TopologyPath path = TopologyPath.of("zone", "z", "block", "b", "rack", "r");
    TopologyPath turned = TopologyPath.of("rack", "r", "cell", "c", "block", "b");
    assertThat(order.add(new NodeId("n1"), "local", path)).isEmpty();
    assertThat(order.add(new NodeId("n2"), "local", turned))
        .contains(
            "node n2 has the level rack around block, and another node of local has it inside");
    assertThat(order.add(new NodeId("n3"), "other", turned)).isEmpty();
    assertThat(order.add(new NodeId("n4"), "local", TopologyPath.of("cell", "c", "rack", "r")))
        .as("nothing was learnt of n2")
        .isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans that are rehearsed one after the other do for a gang what a plan of its own would. */
class RehearsalTest {

  private static final NodeHealth[] HEALTHS = NodeHealth.values();

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 40);
  }

  private static Snapshot snapshot(long seed, Random random) {
    PoolSimulation pool = SimulationTest.pool(random);
    SimulationTest.fill(pool, random, random.nextBoolean());
    pool.step();
    return seed % 2 == 0 ? pool.snapshot() : new RandomGangs(seed, 12, 6).snapshot(4);
  }

  /** The same with one thing changed, of those that changes for a gang are about. */
  private static Snapshot changed(Snapshot snapshot, GangRequest gang, Random random) {
    List<NodeView> nodes = new ArrayList<>(snapshot.nodes());
    return switch (random.nextInt(5)) {
      case 0 -> snapshot.withWaiting(gang.withPriority(random.nextInt(4)));
      case 1 -> snapshot.withWaiting(gang.withSpares(random.nextInt(3)));
      case 2 -> {
        int at = random.nextInt(nodes.size());
        nodes.set(at, nodes.get(at).in(HEALTHS[random.nextInt(HEALTHS.length)]));
        yield snapshot.withNodes(nodes);
      }
      case 3 -> {
        nodes.add(
            Scenario.node("new-" + random.nextInt(3), nodes.getFirst().shape(), "z", "fabric"));
        yield snapshot.withNodes(nodes);
      }
      default -> snapshot.withRunning(snapshot.running());
    };
  }

  private static List<Decision> forIt(List<Decision> decisions, GangRequest gang) {
    return decisions.stream()
        .filter(decision -> Trials.isFor(decision, gang.id()))
        .map(
            decision ->
                decision instanceof Decision.Wait wait
                    ? new Decision.Wait(wait.gang(), List.of(), wait.expectedStart())
                    : decision)
        .toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void doesForAGangWhatAPlanDoes(long seed) {
    Random random = new Random(seed);
    Snapshot snapshot = snapshot(seed, random);
    for (GangRequest gang : snapshot.waiting().stream().limit(4).toList()) {
      Rehearsal rehearsal = new Rehearsal(gang.id());
      for (int i = 0; i < 12; i++) {
        Snapshot other = changed(snapshot, gang, random);
        assertThat(forIt(rehearsal.plan(other), gang))
            .as("seed %d: %s after %d changes", seed, gang, i)
            .isNotEmpty()
            .isEqualTo(forIt(Planner.plan(other).decisions(), gang));
      }
    }
  }

  @Test
  void servesNobodyAfterTheGang() {
    Scenario pool = new Scenario().nodes(Scenario.node("n", Scenario.GPU, "z", ""));
    pool.gangs(Scenario.gang("a", 1), Scenario.gang("b", 1), Scenario.gang("c", 1)).mayGrow();
    List<Decision> plan = new Rehearsal(pool.waiting.get(1).id()).plan(pool.snapshot());
    assertThat(plan).hasSize(2);
    assertThat(plan.getFirst()).isInstanceOf(Decision.Place.class);
    assertThat(plan.getLast())
        .isEqualTo(new Decision.Wait(pool.waiting.get(1).id(), List.of(), Optional.empty()));
  }
}

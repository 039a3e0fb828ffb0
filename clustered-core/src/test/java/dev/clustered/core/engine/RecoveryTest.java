// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ClusterSpec;
import dev.clustered.model.RestartPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An engine that begins again with the journal of one that crashed. */
class RecoveryTest {

  private static final int NODES = 12;

  static List<Long> seeds() {
    Long only = Long.getLong("simulation.seed");
    List<Long> seeds = new ArrayList<>();
    for (long seed = 1; seed <= 40; seed++) {
      seeds.add(seed);
    }
    return only == null ? seeds : List.of(only);
  }

  private static ClusterSpec spec(Random random) {
    ClusterSpec.Builder spec =
        ClusterSpec.builder("x").nodes(1 + random.nextInt(5)).command("true");
    if (random.nextInt(2) == 0) {
      spec.restart(
          RestartPolicy.upTo(1 + random.nextInt(3))
              .withPause(Duration.ofSeconds(1 + random.nextInt(30)), Duration.ofMinutes(5)));
    }
    return spec.build();
  }

  private static void launches(SimulatedWorld world, Random random, int count) {
    for (int i = 0; i < count; i++) {
      world.time.after(
          Duration.ofMillis(random.nextInt(1_200_000)), () -> world.launch(spec(random)));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theJournalReadAgainMakesTheSameStateAfterEveryTurn(long seed) {
    Random random = new Random(seed);
    SimulatedWorld world = new SimulatedWorld(random, NODES);
    launches(world, random, 12);
    for (int i = 0; i < 5; i++) {
      world.time.after(Duration.ofMillis(random.nextInt(1_500_000)), world.agents::kill);
    }
    EngineCore again =
        new EngineCore(
            Configs.of(Path.of("never-used"), new MemoryStore(), world.time, world.store.key, 1),
            new Ids("owner"),
            new Timers(world.time::nanos),
            world,
            () -> {});
    int[] read = {0};
    world.afterTurn =
        () -> {
          if (world.store.size() > read[0]) {
            again.restore(world.store.facts(read[0]), world::record);
            read[0] = world.store.size();
            assertThat(StateText.of(again, world.time.instant()))
                .as("seed %d, after %d facts", seed, read[0])
                .isEqualTo(StateText.of(world.core(), world.time.instant()));
          }
        };
    world.run(Duration.ofHours(3));
    assertThat(world.core().state.clusters).as("seed %d: all have ended", seed).isEmpty();
    assertThat(world.ends).hasSize(12).allSatisfy((id, times) -> assertThat(times).isOne());
    assertThat(world.cloud.instances).as("seed %d: nothing is left", seed).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void anEngineThatCrashesAtAnyPointLosesNothingAndLeavesNothing(long seed) {
    Random random = new Random(seed);
    SimulatedWorld world = new SimulatedWorld(random, NODES);
    launches(world, random, 12);
    world.store.beforeAppend = () -> crash(random);
    world.store.afterAppend = () -> crash(random);
    world.cloud.beforeCall = () -> crash(random);
    world.run(Duration.ofHours(2));
    world.store.beforeAppend = () -> {};
    world.store.afterAppend = () -> {};
    world.cloud.beforeCall = () -> {};
    world.run(Duration.ofHours(3));
    assertThat(world.core().state.clusters).as("seed %d: all have ended", seed).isEmpty();
    assertThat(world.cloud.instances).as("seed %d: nothing is left", seed).isEmpty();
    assertThat(world.agents.running()).as("seed %d: nothing runs", seed).isEmpty();
    assertThat(world.agents.unharmed).as("seed %d: nothing was ended unasked", seed).isEmpty();
  }

  private static void crash(Random random) {
    if (random.nextInt(12) == 0) {
      throw new SimulatedWorld.Crash();
    }
  }
}

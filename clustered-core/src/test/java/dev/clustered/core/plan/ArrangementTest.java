// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Arrangement.NOWHERE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArrangementTest {

  /** Some domains and gangs that want about as much as is free. */
  private static final class Drawn {
    private final int[] free;
    private final int[] gangs;

    Drawn(int[] free, int[] gangs) {
      this.free = free;
      this.gangs = gangs;
    }

    static Drawn of(long seed, int mostDomains, int mostGangs) {
      SplittableRandom random = new SplittableRandom(seed);
      int[] free = random.ints(random.nextInt(1, mostDomains + 1), 0, 17).toArray();
      int[] gangs = random.ints(random.nextInt(1, mostGangs + 1), 1, 13).toArray();
      return new Drawn(free, gangs);
    }

    int used(int[] homes) {
      return IntStream.range(0, homes.length)
          .filter(gang -> homes[gang] != NOWHERE)
          .map(gang -> gangs[gang])
          .sum();
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  private static int most(int[] free, int[] gangs, int from) {
    if (from == gangs.length) {
      return 0;
    }
    int best = most(free, gangs, from + 1);
    for (int domain = 0; domain < free.length; domain++) {
      if (free[domain] >= gangs[from]) {
        free[domain] -= gangs[from];
        best = Math.max(best, gangs[from] + most(free, gangs, from + 1));
        free[domain] += gangs[from];
      }
    }
    return best;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void putsNoMoreIntoADomainThanItHolds(long seed) {
    Drawn drawn = Drawn.of(seed, 12, 60);

    int[] homes = Arrangement.of(drawn.free, drawn.gangs, seed % 2 == 0);

    assertThat(homes).hasSameSizeAs(drawn.gangs);
    int[] left = drawn.free.clone();
    for (int gang = 0; gang < homes.length; gang++) {
      if (homes[gang] != NOWHERE) {
        left[homes[gang]] -= drawn.gangs[gang];
      }
    }
    assertThat(IntStream.of(left)).allMatch(ranks -> ranks >= 0);
    for (int gang = 0; gang < homes.length; gang++) {
      if (homes[gang] == NOWHERE) {
        int size = drawn.gangs[gang];
        assertThat(IntStream.of(left)).as("%d ranks", size).allMatch(ranks -> ranks < size);
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void usesNearlyAllThatCouldBe(long seed) {
    Drawn drawn = Drawn.of(seed, 3, 8);

    int used = drawn.used(Arrangement.of(drawn.free, drawn.gangs, false));

    assertThat(used)
        .isBetween(
            (int) Math.ceil(0.95 * most(drawn.free.clone(), drawn.gangs, 0)),
            IntStream.of(drawn.free).sum());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void orderOfTheGangsChangesNothing(long seed) {
    Drawn drawn = Drawn.of(seed, 8, 30);
    int[] other = drawn.gangs.clone();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = other.length - 1; i > 0; i--) {
      int with = random.nextInt(i + 1);
      int kept = other[i];
      other[i] = other[with];
      other[with] = kept;
    }

    assertThat(placed(drawn.free, other)).containsExactly(placed(drawn.free, drawn.gangs));
  }

  private static int[] placed(int[] free, int[] gangs) {
    int[] homes = Arrangement.of(free, gangs, false);
    return IntStream.range(0, homes.length)
        .filter(gang -> homes[gang] != NOWHERE)
        .map(gang -> gangs[gang])
        .sorted()
        .toArray();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void firstGangGoesSomewhereWhereItIsToAndCan(long seed) {
    Drawn drawn = Drawn.of(seed, 6, 20);

    int home = Arrangement.of(drawn.free, drawn.gangs, true)[0];

    int largest = Arrays.stream(drawn.free).max().orElse(0);
    assertThat(home != NOWHERE).isEqualTo(largest >= drawn.gangs[0]);
  }

  @Test
  void ofEqualGangsTheEarlierOneGoesSomewhere() {
    assertThat(Arrangement.of(new int[] {5, 3}, new int[] {4, 5, 5, 3, 3}, false))
        .containsExactly(NOWHERE, 0, NOWHERE, 1, NOWHERE);
  }

  @Test
  void largerGangsGoWhereThatUsesAsMuch() {
    assertThat(Arrangement.of(new int[] {6}, new int[] {1, 2, 3, 4, 2}, false))
        .containsExactly(NOWHERE, 0, NOWHERE, 0, NOWHERE);
  }

  @Test
  void aLargeCaseIsBounded() {
    int[] free = IntStream.range(0, 2_000).map(i -> 50 + i % 51).toArray();
    int[] gangs = IntStream.range(0, 20_000).map(i -> 1 + i * 31 % 64).toArray();
    Drawn drawn = new Drawn(free, gangs);

    int used = drawn.used(Arrangement.of(free, gangs, true));

    assertThat(used).isGreaterThan(IntStream.of(free).sum() * 99 / 100);
  }
}

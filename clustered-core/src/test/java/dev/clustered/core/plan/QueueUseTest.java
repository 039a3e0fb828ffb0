// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueUseTest {

  private static final Duration HALF_LIFE = Duration.ofHours(10);
  private static final Percentage EXACT = Percentage.withPercentage(1e-7);
  private static final Resources HELD = new Resources(8, "H200", 96, ByteSize.gibibytes(512));

  @Test
  void halvesInAHalfLife() {
    QueueUse use = new QueueUse("a", 1_000, 200, 30, NOW).at(NOW.plus(HALF_LIFE), HALF_LIFE);

    assertThat(use.gpuSeconds()).isCloseTo(500, EXACT);
    assertThat(use.cpuSeconds()).isCloseTo(100, EXACT);
    assertThat(use.gibibyteSeconds()).isCloseTo(15, EXACT);
    assertThat(use.at()).isEqualTo(NOW.plus(HALF_LIFE));
  }

  @Test
  void countsAShortTimeInFull() {
    QueueUse use = QueueUse.none("a", NOW).after(HELD, Duration.ofMillis(1), HALF_LIFE);

    assertThat(use.gpuSeconds()).isCloseTo(0.008, Percentage.withPercentage(1e-5));
    assertThat(use.gibibyteSeconds()).isCloseTo(0.512, Percentage.withPercentage(1e-5));
  }

  @Test
  void staysWhenTheClockGoesBack() {
    QueueUse use = new QueueUse("a", 1, 2, 3, NOW);

    assertThat(use.after(HELD, Duration.ofSeconds(-5), HALF_LIFE)).isEqualTo(use);
    assertThat(use.at(NOW.minusSeconds(5), HALF_LIFE)).isEqualTo(use);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void isTheSameInHoweverManyPartsATimeIsTold(long seed) {
    Random random = new Random(seed);
    QueueUse start = new QueueUse("a", random.nextInt(100_000), 7, 0, NOW);
    Duration all = Duration.ofSeconds(1 + random.nextInt(1_000_000));
    QueueUse whole = start.after(HELD, all, HALF_LIFE);

    QueueUse parts = start;
    Duration left = all;
    while (left.toMillis() > 1) {
      Duration part = Duration.ofMillis(1 + (long) (random.nextDouble() * left.toMillis() / 3));
      parts = parts.after(HELD, part, HALF_LIFE);
      left = left.minus(part);
    }
    parts = parts.after(HELD, left, HALF_LIFE);

    assertThat(parts.at()).as("seed %d", seed).isEqualTo(whole.at());
    assertThat(parts.gpuSeconds()).as("seed %d", seed).isCloseTo(whole.gpuSeconds(), EXACT);
    assertThat(parts.cpuSeconds()).as("seed %d", seed).isCloseTo(whole.cpuSeconds(), EXACT);
    assertThat(parts.gibibyteSeconds())
        .as("seed %d", seed)
        .isCloseTo(whole.gibibyteSeconds(), EXACT);
  }
}

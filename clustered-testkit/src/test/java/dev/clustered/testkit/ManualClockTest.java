// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManualClockTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final ManualClock clock = ManualClock.at(START);

  @Test
  void standsStillUntilItIsMoved() {
    assertThat(clock.instant()).isEqualTo(START);
    assertThat(clock.advance(Duration.ofSeconds(90))).isEqualTo(START.plusSeconds(90));
    assertThat(clock.instant()).isEqualTo(START.plusSeconds(90));
  }

  @Test
  void neverGoesBack() {
    assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT-0.000000001S");
  }

  @Test
  void losesNoStepOfSeveralThreads() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(Thread.ofVirtual().start(this::aThousandSeconds));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(clock.instant()).isEqualTo(START.plusSeconds(4_000));
  }

  private void aThousandSeconds() {
    for (int i = 0; i < 1_000; i++) {
      clock.advance(Duration.ofSeconds(1));
    }
  }
}

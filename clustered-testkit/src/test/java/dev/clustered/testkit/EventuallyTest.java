// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventuallyTest {

  private final AtomicInteger looks = new AtomicInteger();

  @Test
  void looksUntilItIsSo() {
    Eventually.within(Duration.ofSeconds(5))
        .isTrue("the third look", () -> looks.incrementAndGet() == 3);
    assertThat(looks).hasValue(3);
  }

  @Test
  void givesTheValueThatCame() {
    int value =
        Eventually.within(Duration.ofSeconds(5))
            .present("a value", () -> Optional.of(looks.incrementAndGet()).filter(n -> n > 2));
    assertThat(value).isEqualTo(3);
  }

  @Test
  void looksOnceEvenWithoutTime() {
    Eventually.within(Duration.ZERO).passes(looks::incrementAndGet);
    assertThat(looks).hasValue(1);
  }

  @Test
  void failsWithWhatWasWaitedForAndWhatWasSeenLast() {
    Eventually soon = Eventually.within(Duration.ofMillis(20));
    assertThatThrownBy(() -> soon.isTrue("the moon is full", () -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("gave up after", "PT0.02S", "the moon is full");
    assertThatThrownBy(() -> soon.passes(() -> assertThat(looks.incrementAndGet()).isZero()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("seen last")
        .hasCauseInstanceOf(AssertionError.class);
  }

  @Test
  void stopsAtAnInterruptAndKeepsIt() {
    Eventually late = Eventually.within(Duration.ofMinutes(10));
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> late.isTrue("never", () -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("interrupted after");
    assertThat(Thread.interrupted()).isTrue();
  }
}

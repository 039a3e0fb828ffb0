// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Usage;
import dev.clustered.model.Usage.Phase;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LedgerTest {

  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final ClusterId ONE = new ClusterId("one");
  private static final ClusterId TWO = new ClusterId("two");
  private static final BigDecimal PRICE = new BigDecimal("7.20");

  private static Instant after(long seconds) {
    return START.plusSeconds(seconds);
  }

  private static Usage.Line line(Phase phase, long seconds, String cost) {
    return new Usage.Line(phase, Duration.ofSeconds(seconds), new BigDecimal(cost));
  }

  @Test
  void countsEachPhaseOfANodeWithItsPrice() {
    Ledger ledger =
        Ledger.EMPTY
            .enter(A, Optional.of(ONE), Phase.BOOT, after(0), PRICE)
            .enter(A, Optional.of(ONE), Phase.RUN, after(100), PRICE)
            .leave(A, after(600));

    assertThat(ledger.usage(after(9_999)).lines())
        .isEqualTo(List.of(line(Phase.BOOT, 100, "0.2"), line(Phase.RUN, 500, "1")));
    assertThat(ledger.usage(ONE, after(9_999))).isEqualTo(ledger.usage(after(9_999)));
  }

  @Test
  void countsAPhaseThatHasNotEndedUntilNow() {
    Ledger ledger = Ledger.EMPTY.enter(A, Optional.empty(), Phase.IDLE, after(0), PRICE);

    assertThat(ledger.usage(after(50)).lines()).isEqualTo(List.of(line(Phase.IDLE, 50, "0.1")));
  }

  @Test
  void keepsClustersApartAndAddsThemUp() {
    Ledger ledger =
        Ledger.EMPTY
            .enter(A, Optional.of(ONE), Phase.RUN, after(0), PRICE)
            .enter(B, Optional.of(TWO), Phase.RUN, after(0), PRICE)
            .enter(A, Optional.of(TWO), Phase.RUN, after(50), PRICE)
            .enter(A, Optional.empty(), Phase.IDLE, after(100), PRICE);

    assertThat(ledger.usage(ONE, after(150)).nodeTime()).isEqualTo(Duration.ofSeconds(50));
    assertThat(ledger.usage(TWO, after(150)).nodeTime()).isEqualTo(Duration.ofSeconds(200));
    assertThat(ledger.usage(after(150)).nodeTime()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void isZeroForANodeThatNeverLaunchedAndForAClusterUnknown() {
    Ledger ledger = Ledger.EMPTY.leave(A, after(10));

    assertThat(ledger.usage(after(20))).isEqualTo(new Usage(List.of()));
    assertThat(ledger.usage(ONE, after(20))).isEqualTo(new Usage(List.of()));
  }

  @Test
  void changesNothingWhenTheSamePhaseIsEnteredAgain() {
    Ledger once = Ledger.EMPTY.enter(A, Optional.of(ONE), Phase.RUN, after(0), PRICE);

    assertThat(once.enter(A, Optional.of(ONE), Phase.RUN, after(30), new BigDecimal("7.2")))
        .isSameAs(once);
  }

  @Test
  void isNeverNegativeWhenTheClockStepsBack() {
    Ledger ledger =
        Ledger.EMPTY
            .enter(A, Optional.of(ONE), Phase.RUN, after(100), PRICE)
            .enter(A, Optional.of(ONE), Phase.STOP, after(40), PRICE);

    assertThat(ledger.usage(after(10)).lines()).isEmpty();
    assertThat(ledger.usage(after(90)).lines()).isEqualTo(List.of(line(Phase.STOP, 50, "0.1")));
  }

  @Test
  void losesNothingInAMillionThirdsOfACent() {
    Ledger ledger = Ledger.EMPTY;
    BigDecimal price = new BigDecimal("1");
    for (int i = 0; i < 3_600; i++) {
      ledger =
          ledger
              .enter(A, Optional.of(ONE), Phase.RUN, after(i), price)
              .enter(A, Optional.of(ONE), Phase.STOP, after(i).plusNanos(333_333_333), price);
    }
    ledger = ledger.leave(A, after(3_600));

    assertThat(ledger.usage(after(3_600)).cost()).isEqualByComparingTo("1");
    assertThat(ledger.usage(after(3_600)).nodeTime()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void leavesEarlierLedgersAsTheyWere() {
    Ledger before = Ledger.EMPTY.enter(A, Optional.of(ONE), Phase.RUN, after(0), PRICE);
    Ledger after = before.leave(A, after(50));

    assertThat(before.usage(after(100)).nodeTime()).isEqualTo(Duration.ofSeconds(100));
    assertThat(after.usage(after(100)).nodeTime()).isEqualTo(Duration.ofSeconds(50));
  }

  @Test
  void refusesANegativePriceNamingIt() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Ledger.EMPTY.enter(A, Optional.empty(), Phase.IDLE, START, new BigDecimal("-0.01")))
        .withMessageContaining("node a")
        .withMessageContaining("-0.01");
  }
}

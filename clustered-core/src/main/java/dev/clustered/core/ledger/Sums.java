// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.ledger;

import dev.clustered.model.Usage;
import dev.clustered.model.Usage.Phase;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Node time and its price by phase, summed without rounding. Immutable and thread-safe. */
record Sums(Map<Phase, Sum> byPhase) {

  static final Sums NONE = new Sums(new TreeMap<>());

  private static final BigDecimal NANOSECONDS_PER_HOUR = BigDecimal.valueOf(3_600_000_000_000L);

  /** Digits after the point of a cost: far below the smallest coin, whatever the sum. */
  private static final int SCALE = 12;

  /**
   * One phase's sum.
   *
   * @param priced hourly price × nanoseconds; divided only when it is read, so that nothing is lost
   */
  private record Sum(Duration time, BigDecimal priced) {
    static Sum of(Duration time, BigDecimal hourlyPrice) {
      BigDecimal nanoseconds =
          BigDecimal.valueOf(time.getSeconds())
              .movePointRight(9)
              .add(BigDecimal.valueOf(time.getNano()));
      return new Sum(time, hourlyPrice.multiply(nanoseconds));
    }

    Sum plus(Sum other) {
      return new Sum(time.plus(other.time), priced.add(other.priced));
    }

    BigDecimal cost() {
      BigDecimal cost =
          priced.divide(NANOSECONDS_PER_HOUR, SCALE, RoundingMode.HALF_EVEN).stripTrailingZeros();
      return cost.scale() < 0 ? cost.setScale(0) : cost;
    }
  }

  Sums plus(Period period, Duration time) {
    if (time.isZero()) {
      return this;
    }
    Map<Phase, Sum> sums = new TreeMap<>(byPhase);
    sums.merge(period.phase(), Sum.of(time, period.hourlyPrice()), Sum::plus);
    return new Sums(sums);
  }

  Usage usage() {
    List<Usage.Line> lines = new ArrayList<>();
    byPhase.forEach((phase, sum) -> lines.add(new Usage.Line(phase, sum.time(), sum.cost())));
    return new Usage(lines);
  }
}

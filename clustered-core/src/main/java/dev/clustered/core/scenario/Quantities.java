// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.model.ByteSize;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Prices, times and sizes as they are written, none beyond what can be. */
final class Quantities {

  /** A thousand years: longer than anything takes, and short enough to be added to any moment. */
  private static final Duration LONGEST = Duration.ofDays(365_000);

  /** No price has more digits before its point, or after it. */
  private static final int MOST_DIGITS = 9;

  /** No amount of memory is larger: 32 PiB. */
  private static final ByteSize MOST_MEMORY = new ByteSize(1L << 55);

  private static final List<Unit> UNITS =
      List.of(
          new Unit("B", 0),
          new Unit("KiB", 10),
          new Unit("MiB", 20),
          new Unit("GiB", 30),
          new Unit("TiB", 40));

  private record Unit(String name, int shift) {}

  private Quantities() {}

  static BigDecimal price(String text) {
    BigDecimal price = new BigDecimal(text);
    if (price.signum() < 0
        || price.scale() > MOST_DIGITS
        || (long) price.precision() - price.scale() > MOST_DIGITS) {
      throw new IllegalArgumentException(
          "zero or more, %d digits at most before its point and after it".formatted(MOST_DIGITS));
    }
    return price;
  }

  /** How long something takes. */
  static Duration duration(String text) {
    Duration time = Duration.parse(text);
    if (time.isNegative() || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("zero or more, and no longer than " + LONGEST);
    }
    return time;
  }

  /** The same of what takes some time. */
  static Duration time(String text) {
    Duration time = duration(text);
    if (time.isZero()) {
      throw new IllegalArgumentException("longer than zero");
    }
    return time;
  }

  /** A moment, counted from another or as it is. */
  static Instant moment(String text, Instant from) {
    boolean relative = text.startsWith("P") || text.startsWith("-P");
    Duration later = relative ? Duration.parse(text) : Duration.between(from, Instant.parse(text));
    if (later.compareTo(LONGEST) > 0 || later.compareTo(LONGEST.negated()) < 0) {
      throw new IllegalArgumentException("no further from the beginning than " + LONGEST);
    }
    return from.plus(later);
  }

  static ByteSize size(String text) {
    int blank = text.indexOf(' ');
    for (Unit unit : UNITS) {
      if (blank > 0 && text.substring(blank + 1).equals(unit.name())) {
        long count = Long.parseLong(text.substring(0, blank));
        ByteSize size = new ByteSize(Math.multiplyExact(count, 1L << unit.shift()));
        if (size.compareTo(MOST_MEMORY) > 0) {
          throw new IllegalArgumentException("%s at most".formatted(MOST_MEMORY));
        }
        return size;
      }
    }
    throw new IllegalArgumentException("a number, a blank and one of B, KiB, MiB, GiB, TiB");
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * A shape that a backend could launch in a zone. Immutable and thread-safe.
 *
 * @param backend the backend's name
 * @param shape what one node is
 * @param zone where
 * @param market how it is paid for
 * @param hourlyPrice price of one node for an hour, in the currency of the backend's bill: zero or
 *     more, with no more than 30 digits before its point, and after it
 * @param bootTime the usual time from launch until a node's agent reports, zero or more
 * @param available zero or more: most nodes that the backend would grant at this moment, or {@link
 *     Integer#MAX_VALUE} when it does not know; quota is not capacity, so this is no promise
 */
public record Offer(
    String backend,
    Shape shape,
    String zone,
    Market market,
    BigDecimal hourlyPrice,
    Duration bootTime,
    int available) {

  /** Sums of prices with more digits take longer than any plan may. */
  private static final int MOST_DIGITS = 30;

  public Offer {
    boolean readable =
        hourlyPrice.scale() <= MOST_DIGITS
            && (long) hourlyPrice.precision() - hourlyPrice.scale() <= MOST_DIGITS;
    if (!readable || available < 0 || hourlyPrice.signum() < 0 || bootTime.isNegative()) {
      throw new IllegalArgumentException(
          "an offer has a number available, a boot time and a price of zero or more, this with %d digits at most before its point and after it; received: %s in %s of %s with available=%d, hourlyPrice=%s, bootTime=%s"
              .formatted(
                  MOST_DIGITS, shape.name(), zone, backend, available, hourlyPrice, bootTime));
    }
  }
}

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
 * @param hourlyPrice price of one node for an hour, in the currency of the backend's bill
 * @param bootTime the usual time from launch until a node's agent reports
 * @param available most nodes that the backend would grant at this moment, or {@link
 *     Integer#MAX_VALUE} when it does not know; quota is not capacity, so this is no promise
 */
public record Offer(
    String backend,
    Shape shape,
    String zone,
    Market market,
    BigDecimal hourlyPrice,
    Duration bootTime,
    int available) {}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

/**
 * A moment of a clock that all engines of a store share.
 *
 * @param clock which run of the clock it belongs to; moments of two runs cannot be compared, and
 *     the older run is over
 * @param micros microseconds since that run began
 */
record Moment(String clock, long micros) {}

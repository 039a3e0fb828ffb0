// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.time.Instant;

/**
 * A zone that had no capacity for a shape a moment ago and is left alone for a while. Immutable and
 * thread-safe.
 *
 * @param until when it may be asked again; without effect from then on
 * @param failure what the backend said
 */
public record CoolDown(String backend, String zone, String shape, Instant until, String failure) {}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.time.Instant;

/** A zone that had no capacity for a shape a moment ago. */
public record CoolDown(String backend, String zone, String shape, Instant until, String failure) {}

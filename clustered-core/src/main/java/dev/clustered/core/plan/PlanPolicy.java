// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.time.Duration;

/**
 * What an operator decides. Immutable and thread-safe.
 *
 * @param idleNodeTime how long a node that nobody holds is kept
 */
public record PlanPolicy(Duration idleNodeTime) {

  public PlanPolicy {
    if (idleNodeTime.isNegative()) {
      throw new IllegalArgumentException("idleNodeTime is zero or more; received: " + idleNodeTime);
    }
  }
}

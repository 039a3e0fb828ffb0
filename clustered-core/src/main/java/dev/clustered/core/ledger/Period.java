// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.ledger;

import dev.clustered.model.ClusterId;
import dev.clustered.model.Usage.Phase;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A node's stay in one phase that has not ended. Immutable and thread-safe. */
record Period(Optional<ClusterId> cluster, Phase phase, Instant from, BigDecimal hourlyPrice) {

  /** The time up to an instant; zero when a clock has stepped back behind the beginning. */
  Duration until(Instant now) {
    return now.isAfter(from) ? Duration.between(from, now) : Duration.ZERO;
  }

  boolean continues(Period other) {
    return cluster.equals(other.cluster)
        && phase == other.phase
        && hourlyPrice.compareTo(other.hourlyPrice) == 0;
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.ledger;

import dev.clustered.model.NodeId;
import dev.clustered.model.Usage;
import java.time.Instant;

/**
 * What one cluster, or all of them together, used. Immutable and thread-safe.
 *
 * @param closed the periods that ended
 * @param open the others, by node
 */
record Account(Sums closed, Tree<NodeId, Period> open) {

  static final Account EMPTY = new Account(Sums.NONE, Tree.empty());

  Account open(NodeId node, Period period) {
    return new Account(closed, open.with(node, period));
  }

  Account close(NodeId node, Period period, Instant at) {
    return new Account(closed.plus(period, period.until(at)), open.without(node));
  }

  Usage usage(Instant now) {
    return open.fold(closed, (sums, period) -> sums.plus(period, period.until(now))).usage();
  }
}

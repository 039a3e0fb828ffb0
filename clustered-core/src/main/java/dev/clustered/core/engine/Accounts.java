// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.ledger.Ledger;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Usage;
import dev.clustered.model.Usage.Phase;
import java.time.Instant;
import java.util.Optional;

/** Writes the ledger as nodes go from phase to phase. The loop writes; any thread may read. */
final class Accounts {

  private volatile Ledger ledger = Ledger.EMPTY;

  /** A node comes into a phase, for a cluster or for nobody. */
  void enter(NodeLife node, Optional<ClusterId> cluster, Phase phase, Instant at) {
    ledger = ledger.enter(node.id(), cluster, phase, at, node.offer().hourlyPrice());
  }

  /** A node is given back. */
  void leave(NodeId node, Instant at) {
    ledger = ledger.leave(node, at);
  }

  Usage usage(Instant now) {
    return ledger.usage(now);
  }

  Usage usage(ClusterId cluster, Instant now) {
    return ledger.usage(cluster, now);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.ledger;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Usage;
import dev.clustered.model.Usage.Phase;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/**
 * Node time and cost so far, by phase. A node is in one phase at a time and belongs to the cluster
 * that entered it last, so that its time is counted once even while several clusters hold parts of
 * it; a node that never entered a phase costs nothing. Entering and leaving cost O(log nodes),
 * reading costs O(nodes of what is read). Immutable and thread-safe.
 */
public final class Ledger {

  /** Nothing was used. */
  public static final Ledger EMPTY = new Ledger(Account.EMPTY, Tree.empty());

  private final Account all;
  private final Tree<ClusterId, Account> byCluster;

  private Ledger(Account all, Tree<ClusterId, Account> byCluster) {
    this.all = all;
    this.byCluster = byCluster;
  }

  /**
   * With a node in a phase; the phase before it ends. To enter the same phase for the same cluster
   * at the same price again changes nothing.
   *
   * @param cluster whom the time is for; empty when it is for nobody
   * @param at when; where it is before the beginning of the phase that ends, that one takes no time
   * @param hourlyPrice zero or more
   */
  public Ledger enter(
      NodeId node, Optional<ClusterId> cluster, Phase phase, Instant at, BigDecimal hourlyPrice) {
    if (hourlyPrice.signum() < 0) {
      throw new IllegalArgumentException(
          "the hourly price of node " + node + " is zero or more; received: " + hourlyPrice);
    }
    Period period = new Period(cluster, phase, at, hourlyPrice);
    if (all.open().get(node).filter(period::continues).isPresent()) {
      return this;
    }
    return leave(node, at).opened(node, period);
  }

  /** With a node given back; a node that is in no phase changes nothing. */
  public Ledger leave(NodeId node, Instant at) {
    return all.open().get(node).map(period -> closed(node, period, at)).orElse(this);
  }

  /** What all nodes used until now. */
  public Usage usage(Instant now) {
    return all.usage(now);
  }

  /** What a cluster used until now; nothing when it is not known. */
  public Usage usage(ClusterId cluster, Instant now) {
    return account(cluster).usage(now);
  }

  private Ledger opened(NodeId node, Period period) {
    return new Ledger(
        all.open(node, period),
        period
            .cluster()
            .map(cluster -> byCluster.with(cluster, account(cluster).open(node, period)))
            .orElse(byCluster));
  }

  private Ledger closed(NodeId node, Period period, Instant at) {
    return new Ledger(
        all.close(node, period, at),
        period
            .cluster()
            .map(cluster -> byCluster.with(cluster, account(cluster).close(node, period, at)))
            .orElse(byCluster));
  }

  private Account account(ClusterId cluster) {
    return byCluster.get(cluster).orElse(Account.EMPTY);
  }
}

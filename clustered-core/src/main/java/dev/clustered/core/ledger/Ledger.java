// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.ledger;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Usage;
import dev.clustered.model.Usage.Phase;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Node time and cost so far. A node is in one phase at a time, of the cluster that entered it last;
 * one that never was in a phase costs nothing. Not thread-safe.
 */
public final class Ledger {

  private static final BigDecimal NANOS_PER_HOUR = BigDecimal.valueOf(3_600_000_000_000L);

  private final Map<NodeId, Entry> open = new TreeMap<>();
  private final Map<Phase, Sum> closed = new TreeMap<>();
  private final Map<ClusterId, Map<Phase, Sum>> closedByCluster = new TreeMap<>();

  private record Entry(
      Optional<ClusterId> cluster, Phase phase, Instant since, BigDecimal hourlyPrice) {

    Sum until(Instant now) {
      Duration time = Duration.between(since, now);
      return Sum.NONE.plus(time.isNegative() ? Duration.ZERO : time, hourlyPrice);
    }
  }

  private record Sum(Duration time, BigDecimal cost) {
    static final Sum NONE = new Sum(Duration.ZERO, BigDecimal.ZERO);

    Sum plus(Duration more, BigDecimal hourlyPrice) {
      BigDecimal nanos = BigDecimal.valueOf(more.toNanos());
      BigDecimal price = hourlyPrice.multiply(nanos).divide(NANOS_PER_HOUR, MathContext.DECIMAL64);
      return new Sum(time.plus(more), cost.add(price));
    }

    Sum plus(Sum other) {
      return new Sum(time.plus(other.time), cost.add(other.cost));
    }
  }

  /** A node comes into a phase; the one before it ends. Entering the same again changes nothing. */
  public void enter(
      NodeId node, Optional<ClusterId> cluster, Phase phase, Instant at, BigDecimal hourlyPrice) {
    Entry before = open.get(node);
    boolean same = before != null && before.phase() == phase && before.cluster().equals(cluster);
    if (!same) {
      leave(node, at);
      open.put(node, new Entry(cluster, phase, at, hourlyPrice));
    }
  }

  /** A node is given back. */
  public void leave(NodeId node, Instant at) {
    Entry entry = open.remove(node);
    if (entry == null) {
      return;
    }
    Sum sum = entry.until(at);
    closed.merge(entry.phase(), sum, Sum::plus);
    entry
        .cluster()
        .ifPresent(
            cluster ->
                closedByCluster
                    .computeIfAbsent(cluster, c -> new TreeMap<>())
                    .merge(entry.phase(), sum, Sum::plus));
  }

  /** Everything so far. */
  public Usage usage(Instant now) {
    Map<Phase, Sum> sums = new TreeMap<>(closed);
    open.values().forEach(entry -> sums.merge(entry.phase(), entry.until(now), Sum::plus));
    return usage(sums);
  }

  /** What a cluster used so far. */
  public Usage usage(ClusterId cluster, Instant now) {
    Map<Phase, Sum> sums = new TreeMap<>(closedByCluster.getOrDefault(cluster, new TreeMap<>()));
    open.values().stream()
        .filter(entry -> entry.cluster().filter(cluster::equals).isPresent())
        .forEach(entry -> sums.merge(entry.phase(), entry.until(now), Sum::plus));
    return usage(sums);
  }

  private static Usage usage(Map<Phase, Sum> sums) {
    List<Usage.Line> lines = new ArrayList<>();
    sums.forEach((phase, sum) -> lines.add(new Usage.Line(phase, sum.time(), sum.cost())));
    return new Usage(lines);
  }
}

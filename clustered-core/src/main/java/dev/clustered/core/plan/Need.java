// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one rank takes of its node, and which nodes suit it: ranks of equal need are counted
 * together. Immutable and thread-safe.
 *
 * @param backend the only backend wanted
 * @param shape the only shape wanted
 * @param each what a rank takes; empty when it takes the whole node. With RDMA a rank takes the
 *     whole node too, and this is what the node must have at least
 * @param rdma the wish for one fabric
 * @param attributes what the node must say of itself, by name
 * @param tolerates the taints that do not keep the rank away
 * @param perNode how many ranks of the gang one node may hold; 1 or more, and 1 for whole nodes
 */
public record Need(
    Optional<String> backend,
    Optional<String> shape,
    Optional<Resources> each,
    Optional<RdmaOptions> rdma,
    Map<String, String> attributes,
    Set<String> tolerates,
    int perNode) {

  /** Any whole node. */
  public static final Need WHOLE_NODE =
      new Need(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public Need {
    attributes = Collections.unmodifiableMap(new TreeMap<>(attributes));
    tolerates = Collections.unmodifiableSet(new TreeSet<>(tolerates));
    if (perNode < 1) {
      throw new IllegalArgumentException(
          "a node holds 1 rank of a gang or more; received: " + perNode);
    }
    if (each.filter(Need::nothing).isPresent()) {
      throw new IllegalArgumentException(
          "a rank takes something of its node; received: " + each.get());
    }
    if (perNode > 1 && (each.isEmpty() || rdma.isPresent())) {
      throw new IllegalArgumentException(
          "a node that a rank takes whole holds 1 of them; received: " + perNode);
    }
  }

  /** A rank beside which no other of its gang runs on the same node. */
  public Need(
      Optional<String> backend,
      Optional<String> shape,
      Optional<Resources> each,
      Optional<RdmaOptions> rdma) {
    this(backend, shape, each, rdma, Collections.emptyMap(), Collections.emptySet(), 1);
  }

  /** No node is counted with more ranks of one gang, so that no sum of them overflows. */
  private static final int MOST_COUNTED = 10_000;

  private static boolean nothing(Resources each) {
    return each.gpus() == 0 && each.cpus() == 0 && each.memory().bytes() == 0;
  }

  /** The same with so many ranks on one node at most. */
  public Need withPerNode(int ranks) {
    return new Need(backend, shape, each, rdma, attributes, tolerates, ranks);
  }

  /** The same for nodes that say this of themselves too. */
  public Need withAttribute(String name, String value) {
    Map<String, String> more = new TreeMap<>(attributes);
    more.put(name, value);
    return new Need(backend, shape, each, rdma, more, tolerates, perNode);
  }

  /** The same where a rank takes so much of its node. */
  Need withEach(Resources part) {
    return new Need(backend, shape, Optional.of(part), rdma, attributes, tolerates, perNode);
  }

  /** The same on nodes with this taint too. */
  public Need withToleration(String taint) {
    Set<String> more = new TreeSet<>(tolerates);
    more.add(taint);
    return new Need(backend, shape, each, rdma, attributes, more, perNode);
  }

  /** Whether a rank takes its node whole. */
  boolean wholeNodes() {
    return each.isEmpty() || rdma.isPresent();
  }

  /** What a rank takes of an empty node of a shape. */
  Resources takes(Shape node) {
    return wholeNodes() ? node.resources() : each.orElse(node.resources());
  }

  /** How many ranks of one gang fit into what is free, of so many at most. */
  static int fitting(Resources free, Resources each, int most) {
    if (!free.holds(each)) {
      return 0;
    }
    long ranks = Math.min(most, MOST_COUNTED);
    if (each.gpus() > 0) {
      ranks = Math.min(ranks, free.gpus() / each.gpus());
    }
    if (each.cpus() > 0) {
      ranks = Math.min(ranks, free.cpus() / each.cpus());
    }
    if (each.memory().bytes() > 0) {
      ranks = Math.min(ranks, free.memory().bytes() / each.memory().bytes());
    }
    return (int) ranks;
  }

  /** How many ranks of one gang an empty node of a shape that fits holds. */
  int ranks(Shape node) {
    return wholeNodes() ? 1 : fitting(node.resources(), takes(node), perNode);
  }

  /** How many empty nodes of a shape that fits so many ranks take. */
  int nodes(Shape node, int ranks) {
    int each = Math.max(1, ranks(node));
    return ranks / each + (ranks % each == 0 ? 0 : 1);
  }

  /** What it says of nodes alone: needs for which this is equal admit the same ones. */
  Need admission() {
    return attributes.isEmpty() && tolerates.isEmpty()
        ? WHOLE_NODE
        : new Need(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            attributes,
            tolerates,
            1);
  }

  /** Whether an empty node of this backend and shape would hold a rank. */
  boolean fits(String nodeBackend, Shape node) {
    return fitsWithoutRdma(nodeBackend, node)
        && rdma.map(wish -> node.rdmaGigabits() >= wish.minimumGigabits()).orElse(true);
  }

  boolean fitsWithoutRdma(String nodeBackend, Shape node) {
    return backend.map(nodeBackend::equals).orElse(true)
        && shape.map(node.name()::equals).orElse(true)
        && each.map(node.resources()::holds).orElse(true);
  }

  /** Whether a node lets a rank in, whatever it has left. */
  boolean admits(NodeView node) {
    return (node.taints().isEmpty() || tolerates.containsAll(node.taints()))
        && (attributes.isEmpty()
            || node.attributes().entrySet().containsAll(attributes.entrySet()));
  }
}

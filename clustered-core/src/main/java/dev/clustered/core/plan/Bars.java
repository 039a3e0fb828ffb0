// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason.Bar;
import dev.clustered.model.WaitReason.Barred;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * How many nodes that nobody uses a gang cannot have, and what keeps it from them. A plan asks
 * again and again for the same need, so what was counted is known until the plan changes a node.
 * Not thread-safe.
 */
final class Bars {

  private final Pool pool;
  private final Census census;
  private final Reservations reservations;
  private final Map<Key, Inside> known = new LinkedHashMap<>();

  /** What was counted when the plan had changed so much. */
  private record Key(Need need, List<String> levels, String domain, boolean inside, int mark) {}

  /** What of a domain nobody can have, though nobody uses it. */
  record Inside(List<Barred> barred) {
    Inside {
      barred = List.copyOf(barred);
    }

    /**
     * What others use.
     *
     * @param all what is open to the need, ready or booting
     * @param free what of that is free
     */
    int busy(int all, int free) {
      int unused = 0;
      for (Barred some : barred) {
        unused += some.bar() == Bar.KEPT || some.bar() == Bar.BOOTING ? some.nodes() : 0;
      }
      return Math.max(0, all - free - unused);
    }
  }

  private record Found(Bar bar, String name) implements Comparable<Found> {
    @Override
    public int compareTo(Found other) {
      int byBar = bar.compareTo(other.bar);
      return byBar != 0 ? byBar : name.compareTo(other.name);
    }
  }

  Bars(Pool pool, Census census, Reservations reservations) {
    this.pool = pool;
    this.census = census;
    this.reservations = reservations;
  }

  /**
   * Those in a domain, of a shape that suits: out of use, closed to the need, or kept for others.
   *
   * @param name tells the domain from others
   * @param domain whether a node is of the domain, and of the shape
   * @param each for how many ranks a node counts
   */
  Inside inside(Need need, String name, Predicate<Slot> domain, int each) {
    return known.computeIfAbsent(
        new Key(need, List.of(), name, true, pool.mark()),
        key -> {
          // Nodes that are ready and have no taints admit every need that asks for no attributes.
          Collection<NodeView> some = need.attributes().isEmpty() ? census.apart() : census.nodes();
          Map<Found, Integer> counts = new TreeMap<>();
          for (NodeView node : some) {
            if (pool.slot(node.id()).filter(domain).isPresent()) {
              outOfUse(node)
                  .or(() -> closed(node, need))
                  .or(() -> booting(node))
                  .ifPresent(found -> add(counts, found, each));
            }
          }
          for (NodeId id : reservations.keptNodes()) {
            pool.slot(id)
                .filter(domain)
                .filter(slot -> slot.node().ready() && need.admits(slot.node()))
                .filter(slot -> !slot.holds(need))
                .ifPresent(slot -> add(counts, new Found(Bar.KEPT, ""), each));
          }
          return list(counts);
        });
  }

  /**
   * Those elsewhere that are ready.
   *
   * @param levels which the layout asks for
   * @param name tells the domain from others; also for people
   * @param domain whether a node is of the domain
   */
  List<Barred> elsewhere(Need need, List<String> levels, String name, Predicate<Slot> domain) {
    return known
        .computeIfAbsent(
            new Key(need, levels, name, false, pool.mark()),
            key -> {
              Map<Found, Integer> counts = new TreeMap<>();
              for (NodeView node : census.unused()) {
                Optional<Slot> slot = pool.slot(node.id()).filter(Slot::empty);
                if (slot.filter(domain.negate()).isPresent()) {
                  unsuited(node, need)
                      .or(() -> closed(node, need))
                      .or(() -> withoutLevel(node, levels))
                      .or(() -> Optional.of(new Found(Bar.APART, name)))
                      .ifPresent(found -> add(counts, found, 1));
                }
              }
              return list(counts);
            })
        .barred();
  }

  /** Those of a domain that will never do, whoever uses them: they are closed to the need. */
  List<Barred> closed(Need need, Predicate<Slot> domain) {
    Map<Found, Integer> counts = new TreeMap<>();
    for (NodeView node : census.nodes()) {
      if (pool.slot(node.id()).filter(domain).isPresent()) {
        closed(node, need).ifPresent(found -> add(counts, found, 1));
      }
    }
    return list(counts).barred();
  }

  private static void add(Map<Found, Integer> counts, Found found, int nodes) {
    counts.merge(found, nodes, Integer::sum);
  }

  private static Inside list(Map<Found, Integer> counts) {
    List<Barred> list = new ArrayList<>();
    counts.forEach((found, nodes) -> list.add(new Barred(nodes, found.bar(), found.name())));
    return new Inside(list);
  }

  private static Optional<Found> outOfUse(NodeView node) {
    return switch (node.health()) {
      case READY, BOOTING -> Optional.empty();
      case CORDONED -> Optional.of(new Found(Bar.CORDONED, ""));
      case FAULTY -> Optional.of(new Found(Bar.FAULTY, ""));
      case LOST -> Optional.of(new Found(Bar.LOST, ""));
    };
  }

  private static Optional<Found> booting(NodeView node) {
    return node.health() == NodeHealth.BOOTING
        ? Optional.of(new Found(Bar.BOOTING, ""))
        : Optional.empty();
  }

  private static Optional<Found> closed(NodeView node, Need need) {
    Optional<Found> taint =
        node.taints().stream()
            .filter(one -> !need.tolerates().contains(one))
            .findFirst()
            .map(one -> new Found(Bar.TAINT, one));
    return taint.or(
        () ->
            need.attributes().entrySet().stream()
                .filter(asked -> !asked.getValue().equals(node.attributes().get(asked.getKey())))
                .findFirst()
                .map(asked -> new Found(Bar.ATTRIBUTE, asked.getKey() + "=" + asked.getValue())));
  }

  private static Optional<Found> unsuited(NodeView node, Need need) {
    if (need.fits(node.backend(), node.shape())) {
      return Optional.empty();
    }
    Optional<Found> backend =
        need.backend()
            .filter(asked -> !asked.equals(node.backend()))
            .map(asked -> new Found(Bar.BACKEND, asked));
    Optional<Found> shape =
        need.shape()
            .filter(asked -> !asked.equals(node.shape().name()))
            .map(asked -> new Found(Bar.SHAPE, asked));
    Optional<Found> resources =
        need.each()
            .filter(each -> !node.shape().resources().holds(each))
            .map(each -> new Found(Bar.RESOURCES, each.toString()));
    return backend
        .or(() -> shape)
        .or(() -> resources)
        .or(() -> need.rdma().map(wish -> new Found(Bar.RDMA, wish.minimumGigabits() + " Gb/s")));
  }

  private static Optional<Found> withoutLevel(NodeView node, List<String> levels) {
    TopologyPath path = node.topology();
    return levels.stream()
        .filter(level -> path.at(level).isEmpty())
        .findFirst()
        .map(level -> new Found(Bar.LEVEL, level));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Resources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Who may have how much: a tree of queues under one root without a name. Immutable and thread-safe.
 *
 * <p>The nominal share of a queue is all that it owns together with the queues inside it, so theirs
 * add up to no more; what they leave is the queue's own, for gangs that are charged to it directly,
 * and theirs to borrow. The root owns what the outermost queues own in all, and nothing beside.
 *
 * <p>What no queue of the tree has a share of is not limited: when no share names memory, memory is
 * not counted. GPUs are counted together, whatever their model, unless a share names a model; then
 * each model that is named is counted apart, and the other models only if a share names no model.
 *
 * @param queues every queue but the root, in any order
 * @param halfLife after how long past use counts half in the order of queues; more than zero
 */
public record QueueTree(List<QueueShare> queues, Duration halfLife) {

  /** The root alone, without limits. */
  public static final QueueTree NONE = new QueueTree(List.of(), Duration.ofDays(7));

  /** No queue owns more of anything, in bytes, GPUs or CPUs: 32 PiB. */
  static final long MOST = 1L << 55;

  /**
   * A queue.
   *
   * @param name tells it from all others of the tree; not empty
   * @param parent the queue that it is part of; empty for the root
   * @param nominal what is its own, with all queues inside it
   * @param borrowing what it may have beyond, if others do not need it; empty for any amount
   * @param lending how much of its own others may have while it does not need it: no more than
   *     {@code nominal}; empty for all
   * @param weight how much of what is to be borrowed it gets beside others; more than 0
   */
  public record QueueShare(
      String name,
      String parent,
      Resources nominal,
      Optional<Resources> borrowing,
      Optional<Resources> lending,
      double weight) {

    public QueueShare {
      if (name.isBlank()) {
        throw new IllegalArgumentException(
            "a queue has a name, only the root has none; received: '%s' under '%s'"
                .formatted(name, parent));
      }
      if (!(weight > 0) || Double.isInfinite(weight)) {
        throw new IllegalArgumentException(
            "the weight of queue %s is more than 0 and finite; received: %s"
                .formatted(name, weight));
      }
      if (lending.filter(most -> !nominal.holds(most)).isPresent()) {
        throw new IllegalArgumentException(
            "queue %s lends no more than its own, %s; received: %s"
                .formatted(name, nominal, lending.get()));
      }
    }

    /** A queue of weight 1 that may borrow and lends without limits. */
    public QueueShare(String name, String parent, Resources nominal) {
      this(name, parent, nominal, Optional.empty(), Optional.empty(), 1);
    }

    /** The same with a limit to what it borrows. */
    public QueueShare withBorrowing(Resources most) {
      return new QueueShare(name, parent, nominal, Optional.of(most), lending, weight);
    }

    /** The same with a limit to what it lends. */
    public QueueShare withLending(Resources most) {
      return new QueueShare(name, parent, nominal, borrowing, Optional.of(most), weight);
    }

    /** The same with another weight. */
    public QueueShare withWeight(double other) {
      return new QueueShare(name, parent, nominal, borrowing, lending, other);
    }
  }

  public QueueTree {
    queues = List.copyOf(queues);
    if (halfLife.isNegative() || halfLife.isZero()) {
      throw new IllegalArgumentException(
          "the half-life of past use is longer than zero; received: " + halfLife);
    }
    Map<String, QueueShare> byName = new TreeMap<>();
    for (QueueShare queue : queues) {
      if (byName.put(queue.name(), queue) != null) {
        throw new IllegalArgumentException("the queue " + queue.name() + " stands twice");
      }
    }
    requireRooted(byName);
    requireCovered(byName);
  }

  /** Every queue hangs on the root, by parents that exist. */
  private static void requireRooted(Map<String, QueueShare> byName) {
    Set<String> rooted = new TreeSet<>(List.of(""));
    for (QueueShare queue : byName.values()) {
      Map<String, QueueShare> path = new LinkedHashMap<>();
      QueueShare at = queue;
      while (!rooted.contains(at.name()) && path.put(at.name(), at) == null) {
        if (rooted.contains(at.parent())) {
          break;
        }
        QueueShare parent = byName.get(at.parent());
        if (parent == null) {
          throw new IllegalArgumentException(
              "the parent %s of queue %s is no queue; there are: %s"
                  .formatted(at.parent(), at.name(), some(byName.keySet())));
        }
        if (path.containsKey(parent.name())) {
          throw new IllegalArgumentException(
              "the queue %s is inside itself, by %s".formatted(parent.name(), path.keySet()));
        }
        at = parent;
      }
      rooted.addAll(path.keySet());
    }
  }

  /** What the queues of a parent own in all, the parent owns, and it can be counted. */
  private static void requireCovered(Map<String, QueueShare> byName) {
    Map<String, List<QueueShare>> inside = new TreeMap<>();
    byName.values().forEach(q -> inside.computeIfAbsent(q.parent(), p -> new ArrayList<>()).add(q));
    Measure measure = new Measure(byName.values());
    inside.forEach(
        (parent, children) -> {
          long[] sum = measure.nothing();
          children.forEach(child -> measure.add(sum, child.nominal(), 1));
          QueueShare owner = byName.get(parent);
          long[] most = owner == null ? measure.everywhere(MOST) : measure.of(owner.nominal());
          for (int i = 0; i < sum.length; i++) {
            if (sum[i] > most[i]) {
              throw new IllegalArgumentException(
                  "the queues %s own %s in all, more than the %s of %s"
                      .formatted(
                          some(
                              children.stream().map(QueueShare::name).collect(Collectors.toList())),
                          measure.inWords(i, sum[i]),
                          measure.inWords(i, most[i]),
                          owner == null ? "that can be counted" : "their parent " + parent));
            }
          }
        });
  }

  /** Names for people: no more than ten. */
  static String some(Collection<String> names) {
    String first = names.stream().limit(10).collect(Collectors.joining(", "));
    return names.size() <= 10 ? first : first + " and %d more".formatted(names.size() - 10);
  }
}

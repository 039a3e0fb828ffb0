// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.Change;
import dev.clustered.model.StartChange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** In which other queue a gang would start. */
final class OtherQueue {

  /** How many queues that have room for it are tried. */
  private static final int MOST_QUEUES = 8;

  private final Snapshot snapshot;
  private final GangRequest gang;
  private final Trials trials;
  private final Map<String, QueueShare> queues = new LinkedHashMap<>();

  OtherQueue(Snapshot snapshot, GangRequest gang, Trials trials) {
    this.snapshot = snapshot;
    this.gang = gang;
    this.trials = trials;
    snapshot.policy().queues().queues().forEach(queue -> queues.put(queue.name(), queue));
  }

  /** The nearest in the tree, then the first by name: one that disturbs nobody, else any. */
  Optional<StartChange> find() {
    Optional<StartChange> second = Optional.empty();
    for (String queue : withRoom()) {
      Optional<StartChange> found =
          trials.with(
              new Change.OtherQueue(gang.terms().queue(), queue), snapshot.withWaiting(in(queue)));
      if (found.filter(one -> !one.disturbsOthers()).isPresent()) {
        return found;
      }
      second = second.or(() -> found);
    }
    return second;
  }

  private GangRequest in(String queue) {
    return gang.withTerms(gang.terms().withQueue(queue));
  }

  /** The queues that may have the gang at this moment, before anybody else is served. */
  private List<String> withRoom() {
    if (queues.isEmpty()) {
      return List.of();
    }
    Quotas quotas = new Quotas(snapshot.policy().queues(), snapshot);
    Total least = quotas.least(gang);
    List<String> own = around(gang.terms().queue());
    return queues.keySet().stream()
        .filter(queue -> !queue.equals(gang.terms().queue()))
        .filter(queue -> quotas.never(in(queue), least).isEmpty())
        .filter(queue -> quotas.refuses(in(queue), least).isEmpty())
        .sorted(
            Comparator.comparingInt((String queue) -> distance(own, around(queue)))
                .thenComparing(Comparator.naturalOrder()))
        .limit(MOST_QUEUES)
        .toList();
  }

  /** A queue and those around it, the innermost first; the root is none of them. */
  private List<String> around(String queue) {
    List<String> around = new ArrayList<>();
    for (QueueShare at = queues.get(queue); at != null; at = queues.get(at.parent())) {
      around.add(at.name());
    }
    return around;
  }

  /** Over how many steps one gets from one queue to the other. */
  private static int distance(List<String> one, List<String> other) {
    int shared = (int) one.stream().filter(other::contains).count();
    return one.size() + other.size() - 2 * shared;
  }
}

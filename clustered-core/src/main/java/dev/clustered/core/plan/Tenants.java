// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The gangs that have nodes, and when those come free; kept up as they change. Not thread-safe. */
final class Tenants {

  private final Map<ClusterId, RunningGang> gangs = new TreeMap<>();
  private final TreeMap<Instant, Map<ClusterId, RunningGang>> ends = new TreeMap<>();
  private final Map<NodeId, Map<ClusterId, RunningGang>> byNode = new LinkedHashMap<>();
  private final Map<ClusterId, RunningGang> leaving = new TreeMap<>();
  private final Map<ClusterId, RunningGang> wanting = new TreeMap<>();

  /** A gang whose nodes come free at a time. */
  record End(Instant at, RunningGang gang) implements Comparable<End> {
    @Override
    public int compareTo(End other) {
      int byTime = at.compareTo(other.at);
      return byTime != 0 ? byTime : gang.id().compareTo(other.gang.id());
    }
  }

  /** A gang has nodes, or something of it has changed. */
  void put(RunningGang gang) {
    remove(gang.id());
    gangs.put(gang.id(), gang);
    if (gang.phase() == RunningGang.Phase.ENDING
        || gang.members().stream().anyMatch(Member::leaving)) {
      leaving.put(gang.id(), gang);
    }
    if (gang.works() && (gang.lackingSpares() > 0 || gang.room() > 0)) {
      wanting.put(gang.id(), gang);
    }
    gang.expectedEnd()
        .ifPresent(at -> ends.computeIfAbsent(at, t -> new TreeMap<>()).put(gang.id(), gang));
    for (Holding held : holdings(gang)) {
      byNode.computeIfAbsent(held.node(), node -> new TreeMap<>()).put(gang.id(), gang);
    }
  }

  /** A gang has ended; gives what it was. */
  Optional<RunningGang> remove(ClusterId id) {
    RunningGang gone = gangs.remove(id);
    leaving.remove(id);
    wanting.remove(id);
    if (gone != null) {
      gone.expectedEnd().ifPresent(at -> removeEnd(at, id));
      for (Holding held : holdings(gone)) {
        Map<ClusterId, RunningGang> others = byNode.getOrDefault(held.node(), new TreeMap<>());
        others.remove(id);
        if (others.isEmpty()) {
          byNode.remove(held.node());
        }
      }
    }
    return Optional.ofNullable(gone);
  }

  Optional<RunningGang> find(ClusterId id) {
    return Optional.ofNullable(gangs.get(id));
  }

  /** Who holds a part of a node, in the order of their identities. */
  Set<ClusterId> on(NodeId node) {
    return Collections.unmodifiableSet(byNode.getOrDefault(node, Collections.emptyMap()).keySet());
  }

  /** The same, each with all that it holds. */
  Collection<RunningGang> gangsOn(NodeId node) {
    return Collections.unmodifiableCollection(
        byNode.getOrDefault(node, Collections.emptyMap()).values());
  }

  /** Those that end or give up ranks, in the order of their identities. */
  Collection<RunningGang> leaving() {
    return leaving.values();
  }

  /** Those that could have more ranks now or lack spares, in the order of their identities. */
  Collection<RunningGang> wanting() {
    return wanting.values();
  }

  /** All of them, in the order of their identities. */
  Collection<RunningGang> all() {
    return gangs.values();
  }

  private void removeEnd(Instant at, ClusterId id) {
    Map<ClusterId, RunningGang> then = ends.getOrDefault(at, new TreeMap<>());
    then.remove(id);
    if (then.isEmpty()) {
      ends.remove(at);
    }
  }

  /** The ends that are expected at a time or later, the soonest first. */
  List<End> endsFrom(Instant time) {
    List<End> from = new ArrayList<>();
    ends.tailMap(time, true)
        .forEach((at, then) -> then.values().forEach(gang -> from.add(new End(at, gang))));
    return from;
  }

  /** Whether an end is expected from one time on, and no later than another. */
  boolean anyEndIn(Instant first, Instant last) {
    Instant end = ends.ceilingKey(first);
    return end != null && !end.isAfter(last);
  }

  /** The first time after another one at which an end is expected. */
  Optional<Instant> endAfter(Instant time) {
    return Optional.ofNullable(ends.higherKey(time));
  }

  /** Everything that a gang holds. */
  static List<Holding> holdings(RunningGang gang) {
    List<Holding> all = new ArrayList<>(gang.members().size() + gang.spares().size());
    for (Member member : gang.members()) {
      all.add(member.at());
    }
    all.addAll(gang.spares());
    return all;
  }
}

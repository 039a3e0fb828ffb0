// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.Echo.Like;
import dev.clustered.model.ClusterId;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The gangs that wait, those alike together and in their order, kept up as they come and go, so
 * that a plan costs nothing for those that it does not look at. Not thread-safe.
 */
final class Waiting {

  private final Map<ClusterId, Arrival> byId = new LinkedHashMap<>();
  private final Map<String, Map<Key, Group>> byQueue = new TreeMap<>();
  private final Map<Kind, Shared> kinds = new LinkedHashMap<>();
  private final Map<Long, GangRequest> promised = new TreeMap<>();
  private long arrivals;

  /** Who was asked for last: a plan asks for one gang again and again while it serves it. */
  private @Nullable GangRequest lastAsked;

  private @Nullable Like lastLike;

  /** The one object for all equal kinds, so that they are compared by a glance. */
  private static final class Shared {
    final Kind kind;
    int gangs;

    Shared(Kind kind) {
      this.kind = kind;
    }
  }

  /**
   * What those of a group have in common.
   *
   * @param timeLimit who ends in time may go before others
   * @param preemptible and so may who gives way to them
   * @param alone the only one of its group: what it was promised is like nothing of another
   */
  private record Key(
      Like like, Optional<Duration> timeLimit, boolean preemptible, Optional<ClusterId> alone) {

    static Key of(GangRequest gang, Like like) {
      return new Key(
          like,
          gang.terms().timeLimit(),
          gang.terms().preemptible(),
          gang.claim().map(claim -> gang.id()));
    }
  }

  /** Gangs of one queue that a plan can tell apart by their turn alone. */
  static final class Group {
    private final Like like;
    private final Line<Arrival> gangs = new Line<>();
    private final Answers answers = new Answers();

    private Group(Like like) {
      this.like = like;
    }

    private void add(Arrival arrival) {
      answers.comes(arrival.gang.id(), gangs.add(arrival));
    }

    private void remove(Arrival arrival) {
      answers.leaves(gangs.remove(arrival));
    }

    /** What those are told but for so many of the first, when all wait for the same reasons. */
    List<Wait> answers(int butFirst, List<WaitReason> reasons) {
      List<Wait> all = answers.of(gangs(), reasons);
      return all.subList(butFirst, all.size());
    }

    Like like() {
      return like;
    }

    /** In the order in which they are served; there is at least one. */
    List<Arrival> gangs() {
      return Collections.unmodifiableList(gangs.inOrder());
    }
  }

  /** A gang and its place among all that came: the higher priority first, then the longer wait. */
  static final class Arrival implements Comparable<Arrival> {
    private final GangRequest gang;
    private final Group group;
    private final int priority;
    private final long number;

    private Arrival(GangRequest gang, Group group, long number) {
      this.gang = gang;
      this.group = group;
      this.priority = gang.priority();
      this.number = number;
    }

    GangRequest gang() {
      return gang;
    }

    int priority() {
      return priority;
    }

    Group group() {
      return group;
    }

    @Override
    public int compareTo(Arrival other) {
      int byPriority = Integer.compare(other.priority, priority);
      return byPriority != 0 ? byPriority : byTime(other);
    }

    /** Who waits longest, then who has come first. */
    int byTime(Arrival other) {
      int byTime = gang.queuedAt().compareTo(other.gang.queuedAt());
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  /** Those that wait, in the order of arrival. */
  static Waiting of(Collection<GangRequest> gangs) {
    Waiting waiting = new Waiting();
    gangs.forEach(waiting::put);
    return waiting;
  }

  /**
   * A gang has come, or something of it has changed: then it keeps its turn.
   *
   * @return whether anything is other than before
   */
  boolean put(GangRequest gang) {
    Arrival known = byId.get(gang.id());
    if (known != null && known.gang.equals(gang)) {
      return false;
    }
    if (known != null) {
      leaveGroup(known);
    }
    Shared shared = kinds.computeIfAbsent(Kind.of(gang), Shared::new);
    shared.gangs++;
    Like like = Like.of(gang, shared.kind);
    Key key = Key.of(gang, like);
    Map<Key, Group> groups =
        byQueue.computeIfAbsent(gang.terms().queue(), queue -> new LinkedHashMap<>());
    Group group = groups.computeIfAbsent(key, k -> new Group(like));
    Arrival arrival = new Arrival(gang, group, known == null ? arrivals++ : known.number);
    group.add(arrival);
    byId.put(gang.id(), arrival);
    if (gang.claim().isPresent()) {
      promised.put(arrival.number, gang);
    }
    return true;
  }

  /**
   * A gang waits no more.
   *
   * @return whether it did
   */
  boolean remove(ClusterId id) {
    Arrival gone = byId.remove(id);
    if (gone != null) {
      leaveGroup(gone);
    }
    return gone != null;
  }

  private void leaveGroup(Arrival gone) {
    promised.remove(gone.number);
    Kind kind = gone.group.like.kind();
    kinds.computeIfPresent(kind, (k, shared) -> --shared.gangs == 0 ? null : shared);
    gone.group.remove(gone);
    if (gone.group.gangs.isEmpty()) {
      String queue = gone.gang.terms().queue();
      Map<Key, Group> groups = byQueue.getOrDefault(queue, Collections.emptyMap());
      groups.remove(Key.of(gone.gang, gone.group.like));
      if (groups.isEmpty()) {
        byQueue.remove(queue);
      }
    }
  }

  boolean isEmpty() {
    return byId.isEmpty();
  }

  Optional<Arrival> find(ClusterId id) {
    return Optional.ofNullable(byId.get(id));
  }

  boolean has(ClusterId id) {
    return byId.containsKey(id);
  }

  /** What a gang that waits has in common with others. */
  @SuppressWarnings("ReferenceEquality") // A copy may ask for less, and to compare it costs more.
  Like like(GangRequest gang) {
    Like like = lastLike;
    if (like == null || gang != lastAsked) {
      Arrival known = byId.get(gang.id());
      like = known == null || known.gang != gang ? Like.of(gang, Kind.of(gang)) : known.group.like;
      lastAsked = gang;
      lastLike = like;
    }
    return like;
  }

  /** Those that were promised something, in the order of arrival. */
  List<GangRequest> promised() {
    return promised.isEmpty() ? List.of() : new ArrayList<>(promised.values());
  }

  /** The queues in which somebody waits, by name. */
  Collection<String> queues() {
    return byQueue.keySet();
  }

  /** Those who wait in a queue. */
  Collection<Group> of(String queue) {
    return byQueue.getOrDefault(queue, Collections.emptyMap()).values();
  }
}

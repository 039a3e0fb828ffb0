// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** When others will have freed what a running gang lacks, as far as their ends are known. */
final class Ends {

  /** Soon, but nobody knows when. */
  static final Instant SOON = Instant.MAX;

  /** Whether a time says more than that it is soon. */
  static boolean known(Instant end) {
    return !end.equals(SOON);
  }

  private static final Comparator<Free> EARLIEST =
      Comparator.comparing(Free::at).thenComparing(Free::slot, Slot.BY_PLACE);

  private final Instant now;
  private final Duration overdue;
  private final Losses losses;

  private record Free(Instant at, Slot slot) {}

  private record End(Instant at, Resources takes) {}

  Ends(Snapshot snapshot, Losses losses) {
    this.now = snapshot.now();
    this.overdue = snapshot.policy().backfill().overdue();
    this.losses = losses;
  }

  /**
   * When there is a node for each loss, each where it must be made good.
   *
   * @return {@link #SOON} when ends of which nobody knows the time are among them; empty when some
   *     loss has nothing to wait for
   */
  Optional<Instant> all(List<Loss> lacking, Bounds bounds) {
    Set<NodeId> used = new TreeSet<>();
    Instant last = now;
    for (Loss loss : lacking) {
      Optional<Free> first =
          bounds
              .scope(loss)
              .filter(scope -> bounds.loose(loss).isEmpty())
              .flatMap(scope -> first(loss, scope, bounds, used));
      if (first.isEmpty()) {
        return Optional.empty();
      }
      used.add(first.get().slot().node().id());
      last = first.get().at().isAfter(last) ? first.get().at() : last;
    }
    return Optional.of(last);
  }

  private Optional<Free> first(Loss loss, Place scope, Bounds bounds, Set<NodeId> used) {
    List<Free> candidates = new ArrayList<>();
    collect(loss, scope, bounds, candidates);
    return candidates.stream()
        .filter(free -> !used.contains(free.slot().node().id()))
        .min(EARLIEST);
  }

  private void collect(Loss loss, Place place, Bounds bounds, List<Free> candidates) {
    for (Slot slot : place.nodes().values()) {
      NodeView node = slot.node();
      if (node.ready()
          && !slot.changed()
          && loss.suits(node)
          && bounds.mayHold(loss.need(), node.id())
          && bounds.within(loss, slot)) {
        freeAt(node, loss.need()).ifPresent(at -> candidates.add(new Free(at, slot)));
      }
    }
    place.inside().forEach(inner -> collect(loss, inner, bounds, candidates));
  }

  /** When a node will have room for a rank. */
  private Optional<Instant> freeAt(NodeView node, Need need) {
    List<RunningGang> holders = losses.on(node.id());
    List<End> ends = new ArrayList<>();
    for (RunningGang gang : holders) {
      end(gang).ifPresent(at -> ends.add(new End(at, holding(gang, node))));
    }
    if (need.wholeNodes()) {
      return holders.size() < node.holders() || ends.size() < holders.size()
          ? Optional.empty()
          : ends.stream().map(End::at).max(Comparator.naturalOrder());
    }
    ends.sort(Comparator.comparing(End::at));
    Resources all = node.shape().resources();
    Resources free = all.minus(all).plus(node.free());
    for (End end : ends) {
      free = free.plus(end.takes());
      if (free.holds(need.takes(node.shape()))) {
        return Optional.of(end.at());
      }
    }
    return Optional.empty();
  }

  private static Resources holding(RunningGang gang, NodeView node) {
    Resources all = node.shape().resources();
    Resources takes = all.minus(all);
    for (Member member : gang.members()) {
      takes = member.at().node().equals(node.id()) ? takes.plus(member.at().takes()) : takes;
    }
    for (Holding spare : gang.spares()) {
      takes = spare.node().equals(node.id()) ? takes.plus(spare.takes()) : takes;
    }
    return takes;
  }

  /** When a gang's nodes are free for others; empty when it ends for one that waits. */
  private Optional<Instant> end(RunningGang gang) {
    if (gang.endsFor().isPresent()) {
      return Optional.empty();
    }
    if (gang.expectedEnd().isEmpty()) {
      return gang.works() ? Optional.empty() : Optional.of(SOON);
    }
    Instant end = gang.expectedEnd().get();
    if (end.plus(overdue).isBefore(now)) {
      return Optional.empty();
    }
    return Optional.of(end.isBefore(now) ? now : end);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Candidates.Yielding;
import dev.clustered.core.plan.Victims.Choice;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Whom to end for gangs of one rank that are alike: the best choice of each node, found again only
 * where something has changed since. Not thread-safe.
 *
 * <p>The best place for one rank is a node by itself. What is chosen for a larger place is what
 * would be chosen for one of the nodes in it, as long as each node whose holders have to end
 * together has only such holders as hold nothing else. Where that is not so, or where nodes do not
 * report a level of their own, nothing is said here.
 */
final class Singles {

  private static final Comparator<Choice> BEST =
      Comparator.comparingInt((Choice choice) -> choice.gangs().size())
          .thenComparing(Choice::lost)
          .thenComparing(choice -> choice.place().depth(), Comparator.reverseOrder())
          .thenComparingInt(choice -> choice.place().ordinal);

  private final Search search;
  private final Pool pool;
  private final Ending ending;
  private final Yielding yielding;
  private final Victims victims;
  private final Map<NodeId, Choice> byNode = new LinkedHashMap<>();
  private final TreeSet<Choice> best = new TreeSet<>(BEST);
  private final Set<NodeId> entangled = new TreeSet<>();
  private int seenOfPool;
  private int seenOfEnding;
  private int seenOfYielding;

  /**
   * For one search of such gangs.
   *
   * @param yielding who yields to them
   * @param victims among some of those
   */
  Singles(Search search, Pool pool, Ending ending, Yielding yielding, Victims victims) {
    this.search = search;
    this.pool = pool;
    this.ending = ending;
    this.yielding = yielding;
    this.victims = victims;
    this.seenOfPool = pool.mark();
    this.seenOfEnding = ending.touched().size();
    this.seenOfYielding = yielding.changed().size();
    for (Place place : search.outermost()) {
      search.nodesIn(place).forEach(this::look);
    }
  }

  /** Whether a gang is placed on one node, in whichever of its ways. */
  static boolean suits(GangRequest gang) {
    return gang.ways().stream().allMatch(way -> way.nodes() == 1 && way.spares() == 0);
  }

  /** The first node by itself that takes a rank when those have ended who do already. */
  static Optional<Choice> free(Search search, Pool pool, Ending ending) {
    if (!ending.leavesAny() && !search.fits()) {
      return Optional.empty();
    }
    for (Slot slot : search.hosts()) {
      int mark = pool.mark();
      ending.freeOn(slot.node().id());
      boolean holds = search.couldLieIn(slot.place()) && search.holds(slot.place());
      pool.backTo(mark);
      if (holds) {
        return Optional.of(new Choice(search, slot.place(), List.of(), Duration.ZERO));
      }
    }
    return Optional.empty();
  }

  /** Whether the best choice is that of a node by itself. */
  boolean clear() {
    lookAgain();
    return entangled.isEmpty();
  }

  /**
   * Whom to end for which node: as few as can be, then those that lose least.
   *
   * @param open where such gangs may go; no site that was closed once is opened again
   */
  Optional<Choice> best(Predicate<Site> open) {
    lookAgain();
    while (!best.isEmpty() && !open.test(search.site(best.first().place()))) {
      best.pollFirst(); // An earlier gang needs all of its site.
    }
    return best.isEmpty() ? Optional.empty() : Optional.of(best.first());
  }

  private void lookAgain() {
    Map<NodeId, Slot> again = new TreeMap<>();
    pool.changedSince(seenOfPool).forEach(slot -> again.put(slot.node().id(), slot));
    seenOfPool = pool.mark();
    List<NodeId> touched = ending.touched();
    touched.subList(seenOfEnding, touched.size()).forEach(node -> put(node, again));
    seenOfEnding = touched.size();
    List<RunningGang> changed = yielding.changed();
    for (RunningGang gang : changed.subList(seenOfYielding, changed.size())) {
      Tenants.holdings(gang).forEach(held -> put(held.node(), again));
    }
    seenOfYielding = changed.size();
    again.values().forEach(this::look);
  }

  private void put(NodeId node, Map<NodeId, Slot> slots) {
    pool.slot(node).ifPresent(slot -> slots.put(node, slot));
  }

  private void look(Slot slot) {
    NodeId node = slot.node().id();
    Optional.ofNullable(byNode.remove(node)).ifPresent(best::remove);
    entangled.remove(node);
    if (!search.suits(slot)) {
      return;
    }
    int mark = pool.mark();
    ending.freeOn(node);
    Set<ClusterId> holders = victims.holders(search, slot);
    Optional<Choice> choice =
        search.couldLieIn(slot.place())
            ? victims.choose(search, slot.place(), holders)
            : Optional.empty();
    if (entangled(slot, holders, choice)) {
      entangled.add(node);
    }
    pool.backTo(mark);
    choice.ifPresent(
        some -> {
          byNode.put(node, some);
          best.add(some);
        });
  }

  /** Whether what is chosen for a place around a node may be another choice than that of a node. */
  private boolean entangled(Slot slot, Set<ClusterId> holders, Optional<Choice> choice) {
    if (!Packing.host(slot.place())) {
      return true;
    }
    if (!slot.node().ready() || search.rooms().on(slot) > 0) {
      return false;
    }
    return (choice.isEmpty() || holders.size() != 1)
        && victims.on(slot.node().id()).stream().anyMatch(Singles::liesOnSeveral);
  }

  private static boolean liesOnSeveral(RunningGang gang) {
    NodeId first = gang.members().getFirst().at().node();
    return Tenants.holdings(gang).stream().anyMatch(held -> !held.node().equals(first));
  }
}

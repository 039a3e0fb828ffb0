// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Shrink;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;

/**
 * The ranks that elastic gangs can do without: the last ones of each role, beyond its minimum.
 * Leaves the pool as it was unless it says otherwise. Not thread-safe.
 */
final class Surplus {

  private final Pool pool;
  private final Owed owed;
  private final BiPredicate<ClusterId, Member> leaves;
  private final List<Unit> units = new ArrayList<>();

  /** Ranks that a gang gives up together, so that its blocks stay whole. */
  record Unit(RunningGang gang, List<Member> members) {}

  /**
   * Of some gangs, the least important first.
   *
   * @param leaves which ranks this plan has given up already
   */
  Surplus(
      Pool pool, Owed owed, Collection<RunningGang> gangs, BiPredicate<ClusterId, Member> leaves) {
    this.pool = pool;
    this.owed = owed;
    this.leaves = leaves;
    gangs.stream()
        .sorted(
            Comparator.comparingInt((RunningGang gang) -> gang.request().priority())
                .thenComparing(RunningGang::startedAt, Comparator.reverseOrder())
                .thenComparing(RunningGang::id))
        .forEach(this::add);
  }

  private void add(RunningGang gang) {
    for (Role role : gang.request().roles()) {
      List<Member> members =
          gang.members().stream()
              .filter(member -> member.role().equals(role.name()))
              .filter(member -> !member.leaving() && !leaves.test(gang.id(), member))
              .toList();
      int together = role.layout().blocks().stream().mapToInt(Layout.Block::ranks).max().orElse(1);
      int end = members.size();
      while (end - together >= role.minimum()) {
        units.add(new Unit(gang, members.subList(end - together, end)));
        end -= together;
      }
    }
  }

  boolean isEmpty() {
    return units.isEmpty();
  }

  /** Frees all of it in the pool, but for what some gangs hold. */
  void freeAll(Set<ClusterId> but) {
    Owed left = owed.copy();
    for (Unit unit : units) {
      if (!but.contains(unit.gang().id())) {
        free(unit, left);
      }
    }
  }

  private void free(Unit unit, Owed left) {
    for (Member member : unit.members()) {
      pool.give(member.at(), left);
    }
  }

  /** Frees in the pool what some shrinks give up. */
  void free(List<Unit> some) {
    Owed left = owed.copy();
    some.forEach(unit -> free(unit, left));
  }

  /**
   * What of it a place needs to hold a gang, which it does when all is freed: the least important
   * first, and nothing that is not needed.
   */
  List<Unit> needed(Search search, Place place, Set<ClusterId> but) {
    int mark = pool.mark();
    Set<NodeId> inside = new TreeSet<>();
    search.nodesIn(search.around(place)).forEach(slot -> inside.add(slot.node().id()));
    List<Unit> chosen = new ArrayList<>();
    Owed left = owed.copy();
    for (Unit unit : units) {
      if (search.holds(place)) {
        break;
      }
      boolean helps = unit.members().stream().anyMatch(m -> inside.contains(m.at().node()));
      if (helps && !but.contains(unit.gang().id())) {
        chosen.add(unit);
        free(unit, left);
      }
    }
    for (Unit unit : List.copyOf(chosen)) {
      pool.backTo(mark);
      List<Unit> others = new ArrayList<>(chosen);
      others.remove(unit);
      // Only the last of a gang's ranks can be given up, so a later one goes before an earlier.
      boolean last = others.stream().noneMatch(other -> before(unit, other));
      free(others);
      if (last && search.holds(place)) {
        chosen.remove(unit);
      }
    }
    pool.backTo(mark);
    return chosen;
  }

  private static boolean before(Unit unit, Unit other) {
    return unit.gang().id().equals(other.gang().id())
        && unit.members().getFirst().role().equals(other.members().getFirst().role())
        && other.members().getFirst().rank() < unit.members().getFirst().rank();
  }

  /** By gang, in the order of their identities. */
  static List<Shrink> shrinks(List<Unit> units) {
    Map<ClusterId, Set<Integer>> ranks = new TreeMap<>();
    for (Unit unit : units) {
      Set<Integer> of = ranks.computeIfAbsent(unit.gang().id(), id -> new TreeSet<>());
      unit.members().forEach(member -> of.add(member.rank()));
    }
    List<Shrink> shrinks = new ArrayList<>();
    ranks.forEach((gang, which) -> shrinks.add(new Shrink(gang, List.copyOf(which))));
    return shrinks;
  }
}

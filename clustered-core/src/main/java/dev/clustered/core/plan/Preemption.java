// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Candidates.Yielding;
import dev.clustered.core.plan.Reservations.Promise;
import dev.clustered.core.plan.Victims.Choice;
import dev.clustered.model.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Whom to end so that a gang gets its nodes. Not thread-safe. */
final class Preemption {

  private final PlanPolicy.Preemption policy;
  private final Instant now;
  private final Pool pool;
  private final Tenants tenants;
  private final Quotas quotas;
  private final Ending ending;
  private final Candidates candidates;
  private final Set<ClusterId> untouched = new TreeSet<>();
  private final Map<Alike, List<Singles>> singles = new LinkedHashMap<>();

  /** Gangs of one rank for which the same is found. */
  private record Alike(Kind kind, Yielding yielding, int priority) {}

  /**
   * What is done for a gang.
   *
   * @param promise what it gets when all has come free
   */
  record Found(List<ClusterId> victims, List<Decision.Shrink> shrinks, Promise promise) {}

  Preemption(
      Instant now,
      PlanPolicy.Preemption policy,
      Pool pool,
      Tenants tenants,
      Reservations reservations,
      Quotas quotas) {
    this.now = now;
    this.policy = policy;
    this.pool = pool;
    this.tenants = tenants;
    this.quotas = quotas;
    this.ending = new Ending(pool, tenants, reservations);
    this.candidates = new Candidates(now, policy, tenants, quotas, untouched);
  }

  /** Who is mended by this plan is nobody's victim; who is ended by it frees what it holds. */
  void decided(Set<ClusterId> inUse, Set<ClusterId> ended) {
    untouched.addAll(inUse);
    untouched.addAll(ended);
    ended.forEach(ending::ends);
  }

  /** What a gang gets when all have ended that end already, if that is enough. */
  Optional<Promise> whenEnded(GangRequest gang, Predicate<Site> open) {
    if (ending.isEmpty()) {
      return Optional.empty();
    }
    int mark = pool.mark();
    ending.free();
    Optional<Promise> promise =
        Reservations.promise(pool, () -> pool.place(gang.atMinimum(), open));
    pool.backTo(mark);
    return promise;
  }

  /** Whether anybody could be ended, or made to give up ranks, for a gang. */
  boolean possibleFor(GangRequest gang) {
    return policy.enabled()
        && !candidates.nobodyYields(gang)
        && !(candidates.yieldingTo(gang).isEmpty() && candidates.elasticFor(gang).isEmpty());
  }

  /** How many end already. */
  int ending() {
    return ending.count();
  }

  /** Whom to end for a gang, when it then fits whole; nobody is ended for less. */
  Optional<Found> find(GangRequest wanted, Predicate<Site> open) {
    if (!policy.enabled()) {
      return Optional.empty();
    }
    GangRequest gang = wanted.atMinimum();
    if (candidates.nobodyYields(gang)) {
      return Optional.empty();
    }
    List<RunningGang> elastic = candidates.elasticFor(gang);
    Yielding yielding = candidates.yieldingTo(gang);
    if (elastic.isEmpty() && yielding.isEmpty()) {
      return Optional.empty();
    }
    int mark = pool.mark();
    Optional<Found> found =
        elastic.isEmpty() && Singles.suits(gang)
            ? single(gang, yielding, open)
            : anyhow(gang, elastic, yielding, open);
    pool.backTo(mark);
    return found;
  }

  private Optional<Found> anyhow(
      GangRequest gang, List<RunningGang> elastic, Yielding yielding, Predicate<Site> open) {
    ending.free();
    Surplus surplus = new Surplus(pool, ending.owed(), elastic, ending::givenUp);
    List<Search> searches = pool.searches(gang, open);
    Optional<Found> found = bySurplus(gang, searches, surplus);
    Iterator<Integer> priorities = yielding.priorities().iterator();
    while (found.isEmpty() && priorities.hasNext()) {
      found = among(gang, searches, surplus, yielding, priorities.next());
    }
    return found;
  }

  /** Of the lowest priorities that suffice, for a gang of one rank. */
  private Optional<Found> single(GangRequest gang, Yielding yielding, Predicate<Site> open) {
    Optional<Choice> free = quotas.limited() ? free(gang, open) : Optional.empty();
    for (int priority : yielding.priorities()) {
      if (free.isPresent()) { // It lacks a share alone, for which it is all one who ends where.
        Optional<Found> found = single(gang, free.get(), yielding, priority);
        if (found.isPresent()) {
          return found;
        }
        continue;
      }
      List<Singles> each =
          singles.computeIfAbsent(
              new Alike(Kind.of(gang), yielding, priority),
              alike -> singles(gang, yielding, priority, open));
      if (!each.stream().allMatch(Singles::clear)) {
        return anyhow(gang, List.of(), yielding, open);
      }
      Optional<Choice> best = Optional.empty();
      for (Singles some : each) {
        Optional<Choice> choice = some.best(open);
        if (choice.isPresent() && better(choice.get(), best)) {
          best = choice;
        }
      }
      Optional<Found> found = best.flatMap(choice -> single(gang, choice, yielding, priority));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** A node that nobody has to leave for a gang of one rank. */
  private Optional<Choice> free(GangRequest gang, Predicate<Site> open) {
    Optional<Choice> best = Optional.empty();
    for (Search search : pool.searches(gang, open)) {
      Optional<Choice> first = Singles.free(search, pool, ending);
      if (first.isPresent() && better(first.get(), best)) {
        best = first;
      }
    }
    return best;
  }

  private List<Singles> singles(
      GangRequest gang, Yielding yielding, int priority, Predicate<Site> open) {
    Victims victims = victims(yielding, priority);
    List<Singles> each = new ArrayList<>();
    for (Search search : pool.searches(gang, open)) {
      each.add(new Singles(search, pool, ending, yielding, victims));
    }
    return each;
  }

  private Optional<Found> single(GangRequest gang, Choice choice, Yielding yielding, int priority) {
    int mark = pool.mark();
    choice.place().nodes().keySet().forEach(ending::freeOn);
    victims(yielding, priority).free(choice.gangs());
    Surplus none = new Surplus(pool, ending.owed(), List.of(), ending::givenUp);
    Optional<Found> found = take(gang, choice, List.of(), none, () -> yielding.upTo(priority));
    pool.backTo(mark);
    return found;
  }

  private Victims victims(Yielding yielding, int priority) {
    return new Victims(
        pool,
        tenants,
        now,
        ending.owed(),
        other -> yielding.contains(other, priority),
        candidates.leastLoss());
  }

  private Optional<Found> bySurplus(GangRequest gang, List<Search> searches, Surplus surplus) {
    if (surplus.isEmpty()) {
      return Optional.empty();
    }
    int mark = pool.mark();
    surplus.freeAll(new TreeSet<>());
    List<Choice> places = places(searches);
    pool.backTo(mark);
    Optional<List<Surplus.Unit>> best = Optional.empty();
    Optional<Choice> at = Optional.empty();
    for (Choice choice : places) {
      List<Surplus.Unit> needed = surplus.needed(choice.search(), choice.place(), new TreeSet<>());
      if (best.isEmpty() || ranks(needed) <= ranks(best.get())) { // The further inside of equals.
        best = Optional.of(needed);
        at = Optional.of(choice);
      }
    }
    return at.isEmpty() || best.isEmpty()
        ? Optional.empty()
        : take(gang, at.get(), best.get(), surplus, List::of);
  }

  private static int ranks(List<Surplus.Unit> units) {
    return units.stream().mapToInt(unit -> unit.members().size()).sum();
  }

  /** Every place that holds the gang now, the outermost first. */
  static List<Choice> places(List<Search> searches) {
    List<Choice> places = new ArrayList<>();
    for (Search search : searches) {
      for (Place place : search.candidates()) {
        if (search.holds(place)) {
          places.add(new Choice(search, place, List.of(), Duration.ZERO));
        }
      }
    }
    return places;
  }

  private Optional<Found> among(
      GangRequest gang, List<Search> searches, Surplus surplus, Yielding yielding, int priority) {
    Collection<RunningGang> some = yielding.upTo(priority);
    Victims victims = victims(yielding, priority);
    Set<ClusterId> all = new TreeSet<>();
    some.forEach(candidate -> all.add(candidate.id()));
    int mark = pool.mark();
    surplus.freeAll(all);
    int withSurplus = pool.mark();
    victims.free(some);
    List<Choice> places = places(searches);
    pool.backTo(withSurplus);
    Optional<Choice> best = Optional.empty();
    for (Choice place : places) {
      int most = best.map(choice -> choice.gangs().size()).orElse(Integer.MAX_VALUE);
      Optional<Choice> choice = victims.choose(place.search(), place.place(), most);
      if (choice.isPresent() && better(choice.get(), best)) {
        best = choice;
      }
    }
    pool.backTo(mark);
    if (best.isEmpty()) {
      return Optional.empty();
    }
    Choice choice = best.get();
    victims.free(choice.gangs());
    Set<ClusterId> ended = new TreeSet<>();
    choice.gangs().forEach(victim -> ended.add(victim.id()));
    List<Surplus.Unit> units = surplus.needed(choice.search(), choice.place(), ended);
    Optional<Found> found = take(gang, choice, units, surplus, () -> some);
    if (found.isEmpty()) {
      pool.backTo(mark);
    }
    return found;
  }

  /** Fewer gangs, then less work lost, then further inside. */
  private static boolean better(Choice choice, Optional<Choice> than) {
    if (than.isEmpty()) {
      return true;
    }
    int byCount = Integer.compare(choice.gangs().size(), than.get().gangs().size());
    int byLoss = byCount != 0 ? byCount : choice.lost().compareTo(than.get().lost());
    return byLoss < 0 || (byLoss == 0 && choice.place().depth() > than.get().place().depth());
  }

  /**
   * The victims have freed what they had; now ranks are given up, and the gang takes its part.
   * Empty when its queue may not have so much even if all candidates end.
   */
  private Optional<Found> take(
      GangRequest gang,
      Choice choice,
      List<Surplus.Unit> units,
      Surplus surplus,
      Supplier<Collection<RunningGang>> others) {
    surplus.free(units);
    Promise promise =
        Reservations.promise(pool, () -> choice.search().take(choice.place())).orElseThrow();
    Optional<List<RunningGang>> ended =
        enoughForQuota(gang, promise.placement(), choice.gangs(), units, others);
    return ended
        .filter(all -> !all.isEmpty() || !units.isEmpty())
        .map(
            all -> {
              units.forEach(ending::givesUp);
              if (!units.isEmpty()) {
                candidates.chargedAnew();
                singles.clear();
              }
              all.forEach(this::ends);
              List<ClusterId> ids = all.stream().map(RunningGang::id).sorted().toList();
              return new Found(ids, Surplus.shrinks(units), promise);
            });
  }

  private void ends(RunningGang victim) {
    ending.ends(victim.id());
    candidates.ended(victim);
  }

  /**
   * Those that end for the nodes, and whoever else has to so that the gang's queue may have them.
   */
  private Optional<List<RunningGang>> enoughForQuota(
      GangRequest gang,
      Placement placement,
      List<RunningGang> forNodes,
      List<Surplus.Unit> units,
      Supplier<Collection<RunningGang>> candidatesForIt) {
    int mark = quotas.mark();
    forNodes.forEach(quotas::giveBack);
    giveBack(units);
    int withoutAdded = quotas.mark();
    List<RunningGang> all = new ArrayList<>(forNodes);
    boolean allowed = quotas.allow(gang, placement);
    if (!allowed) {
      List<RunningGang> others = new ArrayList<>(candidatesForIt.get());
      others.removeAll(forNodes);
      others.sort(candidates.leastLoss());
      allowed = allowedWithout(others, gang, placement, all);
      if (allowed) {
        spare(gang, placement, all, forNodes, withoutAdded);
      }
    }
    quotas.backTo(mark);
    return allowed ? Optional.of(all) : Optional.empty();
  }

  /** Ends others until a gang's queue may have what it is placed on. */
  private boolean allowedWithout(
      List<RunningGang> others, GangRequest gang, Placement placement, List<RunningGang> ended) {
    for (RunningGang other : others) {
      quotas.giveBack(other);
      ended.add(other);
      if (quotas.allow(gang, placement)) {
        return true;
      }
    }
    return false;
  }

  private void giveBack(List<Surplus.Unit> units) {
    for (Decision.Shrink shrink : Surplus.shrinks(units)) {
      tenants
          .find(shrink.gang())
          .ifPresent(other -> quotas.giveBack(other, new TreeSet<>(shrink.ranks())));
    }
  }

  /** Lets live whoever need not end for the queue's share either, those that lose most first. */
  private void spare(
      GangRequest gang,
      Placement placement,
      List<RunningGang> all,
      List<RunningGang> forNodes,
      int mark) {
    List<RunningGang> added = new ArrayList<>(all);
    added.removeAll(forNodes);
    for (RunningGang other : added.reversed()) {
      quotas.backTo(mark);
      all.stream().filter(victim -> !victim.id().equals(other.id())).forEach(quotas::giveBack);
      if (quotas.allow(gang, placement)) {
        all.remove(other);
      }
    }
  }
}

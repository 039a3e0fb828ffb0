// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Reservations.Promise;
import dev.clustered.core.plan.Victims.Choice;
import dev.clustered.model.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Whom to end so that a gang gets its nodes. Not thread-safe. */
final class Preemption {

  /** The newest first: what has run least loses least. */
  private static final Comparator<RunningGang> NEWEST =
      Comparator.comparing(RunningGang::startedAt).reversed().thenComparing(RunningGang::id);

  private final Instant now;
  private final PlanPolicy.Preemption policy;
  private final Pool pool;
  private final Tenants tenants;
  private final Reservations reservations;
  private final Quotas quotas;
  private final Set<ClusterId> ending = new TreeSet<>();
  private final Set<ClusterId> mended = new TreeSet<>();
  private final List<Member> leaving = new ArrayList<>();
  private final List<Surplus.Unit> givenUp = new ArrayList<>();

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
    this.reservations = reservations;
    this.quotas = quotas;
    tenants.leaving().forEach(this::leaves);
  }

  /** Who is mended by this plan is nobody's victim; who is ended by it frees what it holds. */
  void decided(Set<ClusterId> inUse, Set<ClusterId> ended) {
    mended.addAll(inUse);
    ending.addAll(ended);
  }

  private void leaves(RunningGang gang) {
    if (gang.phase() == RunningGang.Phase.ENDING) {
      ending.add(gang.id());
    } else {
      gang.members().stream().filter(Member::leaving).forEach(leaving::add);
    }
  }

  /** Frees in the pool what those hold that end already, and what was given up. */
  private void freeEnding(Owed owed) {
    for (ClusterId id : ending) {
      tenants
          .find(id)
          .map(Tenants::holdings)
          .orElse(List.of())
          .forEach(held -> pool.give(held, owed));
    }
    for (Member member : leaving) {
      pool.give(member.at(), owed);
    }
    for (Surplus.Unit unit : givenUp) {
      unit.members().forEach(member -> pool.give(member.at(), owed));
    }
  }

  /** What a gang gets when all have ended that end already, if that is enough. */
  Optional<Promise> whenEnded(GangRequest gang, Predicate<Site> open) {
    if (ending.isEmpty() && givenUp.isEmpty() && leaving.isEmpty()) {
      return Optional.empty();
    }
    int mark = pool.mark();
    freeEnding(reservations.owed());
    Optional<Promise> promise =
        Reservations.promise(pool, () -> pool.place(gang.atMinimum(), open));
    pool.backTo(mark);
    return promise;
  }

  /** Whether anybody could be ended, or made to give up ranks, for a gang. */
  boolean possibleFor(GangRequest gang) {
    return policy.enabled()
        && tenants.all().stream().anyMatch(other -> givesWay(gang, other) || shrinks(gang, other));
  }

  private boolean givesWay(GangRequest gang, RunningGang other) {
    return other.request().terms().preemptible()
        && other.phase() == RunningGang.Phase.RUNNING
        && yields(gang, other)
        && !ending.contains(other.id())
        && !mended.contains(other.id())
        && !other.startedAt().plus(policy.minimumRuntime()).isAfter(now);
  }

  private boolean shrinks(GangRequest gang, RunningGang other) {
    return other.members().size() > other.request().minimum()
        && other.phase() == RunningGang.Phase.RUNNING
        && yields(gang, other)
        && !ending.contains(other.id())
        && !mended.contains(other.id());
  }

  /** By priority inside a queue; of another queue, what is reclaimed. */
  private boolean yields(GangRequest gang, RunningGang other) {
    return quotas.sameQueue(gang, other)
        ? other.request().priority() < gang.priority()
        : quotas.mayReclaim(gang, other, quotas.least(gang));
  }

  /** How many end already. */
  int ending() {
    return ending.size();
  }

  /** Whom to end for a gang, when it then fits whole; nobody is ended for less. */
  Optional<Found> find(GangRequest wanted, Predicate<Site> open) {
    if (!policy.enabled()) {
      return Optional.empty();
    }
    GangRequest gang = wanted.atMinimum();
    List<RunningGang> elastic = elastic(gang);
    List<RunningGang> victims = victims(gang);
    if (elastic.isEmpty() && victims.isEmpty()) {
      return Optional.empty();
    }
    int mark = pool.mark();
    Owed owed = reservations.owed();
    freeEnding(owed);
    Surplus surplus = new Surplus(pool, owed, elastic);
    List<Search> searches = pool.searches(gang, open);
    Optional<Found> found =
        bySurplus(gang, searches, surplus)
            .or(() -> byVictims(gang, searches, surplus, victims, owed));
    pool.backTo(mark);
    return found;
  }

  private List<RunningGang> elastic(GangRequest gang) {
    return tenants.all().stream().filter(other -> shrinks(gang, other)).toList();
  }

  private List<RunningGang> victims(GangRequest gang) {
    List<RunningGang> some = new ArrayList<>();
    List<RunningGang> ofOthers = new ArrayList<>();
    for (RunningGang other : tenants.all()) {
      if (givesWay(gang, other)) {
        (quotas.sameQueue(gang, other) ? some : ofOthers).add(other);
      }
    }
    ofOthers.sort(leastLoss());
    some.addAll(quotas.reclaimable(gang, ofOthers, quotas.least(gang)));
    return some;
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
        : take(gang, at.get(), best.get(), surplus, List.of());
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

  /** Of the lowest priorities that suffice. */
  private Optional<Found> byVictims(
      GangRequest gang,
      List<Search> searches,
      Surplus surplus,
      List<RunningGang> victims,
      Owed owed) {
    Set<Integer> priorities = new TreeSet<>();
    victims.forEach(victim -> priorities.add(victim.request().priority()));
    for (int priority : priorities) {
      List<RunningGang> lowest =
          victims.stream().filter(victim -> victim.request().priority() <= priority).toList();
      Optional<Found> found = among(gang, searches, surplus, lowest, owed);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<Found> among(
      GangRequest gang,
      List<Search> searches,
      Surplus surplus,
      List<RunningGang> candidates,
      Owed owed) {
    Victims victims = new Victims(pool, tenants, now, owed, candidates, leastLoss());
    Set<ClusterId> all = new TreeSet<>();
    candidates.forEach(candidate -> all.add(candidate.id()));
    int mark = pool.mark();
    surplus.freeAll(all);
    int withSurplus = pool.mark();
    victims.freeAll();
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
    Optional<Found> found = take(gang, choice, units, surplus, candidates);
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

  private Comparator<RunningGang> leastLoss() {
    return Comparator.comparingInt((RunningGang gang) -> gang.request().priority())
        .thenComparing(gang -> Victims.work(gang, now))
        .thenComparing(NEWEST);
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
      List<RunningGang> candidates) {
    surplus.free(units);
    Promise promise =
        Reservations.promise(pool, () -> choice.search().take(choice.place())).orElseThrow();
    Optional<List<RunningGang>> ended =
        enoughForQuota(gang, promise.placement(), choice.gangs(), units, candidates);
    return ended
        .filter(all -> !all.isEmpty() || !units.isEmpty())
        .map(
            all -> {
              givenUp.addAll(units);
              all.forEach(victim -> ending.add(victim.id()));
              List<ClusterId> ids = all.stream().map(RunningGang::id).sorted().toList();
              return new Found(ids, Surplus.shrinks(units), promise);
            });
  }

  /**
   * Those that end for the nodes, and whoever else has to so that the gang's queue may have them.
   */
  private Optional<List<RunningGang>> enoughForQuota(
      GangRequest gang,
      Placement placement,
      List<RunningGang> forNodes,
      List<Surplus.Unit> units,
      List<RunningGang> candidates) {
    int mark = quotas.mark();
    forNodes.forEach(quotas::giveBack);
    giveBack(units);
    int withoutAdded = quotas.mark();
    List<RunningGang> all = new ArrayList<>(forNodes);
    List<RunningGang> others = new ArrayList<>(candidates);
    others.removeAll(forNodes);
    others.sort(leastLoss());
    for (RunningGang other : others) {
      if (quotas.allow(gang, placement)) {
        break;
      }
      quotas.giveBack(other);
      all.add(other);
    }
    boolean allowed = quotas.allow(gang, placement);
    if (allowed) {
      spare(gang, placement, all, forNodes, withoutAdded);
    }
    quotas.backTo(mark);
    return allowed ? Optional.of(all) : Optional.empty();
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

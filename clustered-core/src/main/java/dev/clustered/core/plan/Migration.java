// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Move;
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

/** Whom to move out of the way so that a gang gets its nodes. Not thread-safe. */
final class Migration {

  private final Instant now;
  private final PlanPolicy.Migration policy;
  private final Pool pool;
  private final Tenants tenants;
  private final Reservations reservations;
  private final Set<ClusterId> untouched = new TreeSet<>();

  /**
   * What is done for a gang.
   *
   * @param promise what it gets when all have moved
   */
  record Found(List<Move> moves, Duration cost, Promise promise) {}

  Migration(
      Instant now,
      PlanPolicy.Migration policy,
      Pool pool,
      Tenants tenants,
      Reservations reservations) {
    this.now = now;
    this.policy = policy;
    this.pool = pool;
    this.tenants = tenants;
    this.reservations = reservations;
  }

  /** Who is mended or ended by this plan is not moved. */
  void decided(Set<ClusterId> mended, Set<ClusterId> ended) {
    untouched.addAll(mended);
    untouched.addAll(ended);
  }

  /** Whether gangs may be moved now. */
  boolean due() {
    return policy.enabled()
        && policy.lastAt().filter(at -> at.plus(policy.every()).isAfter(now)).isEmpty();
  }

  /**
   * Whom to move for a gang: who costs least, to nodes that are free now. When something is found,
   * the pool has given those nodes to them.
   */
  Optional<Found> find(GangRequest wanted, Predicate<Site> open) {
    List<RunningGang> movable = due() ? movable() : List.of();
    if (movable.isEmpty()) {
      return Optional.empty();
    }
    GangRequest gang = wanted.atMinimum();
    Set<ClusterId> ids = new TreeSet<>();
    movable.forEach(some -> ids.add(some.id()));
    Victims victims =
        new Victims(
            pool, tenants, now, reservations.owed(), other -> ids.contains(other.id()), cheapest());
    List<Search> searches = pool.searches(gang, open);
    List<Choice> choices = new ArrayList<>();
    for (Choice place : placesWithout(victims, movable, searches)) {
      victims.choose(place.search(), place.place(), movable.size()).ifPresent(choices::add);
    }
    choices.sort(
        Comparator.comparing((Choice choice) -> cost(choice.gangs()))
            .thenComparingInt(choice -> choice.gangs().size())
            .thenComparingInt(choice -> -choice.place().depth()));
    for (Choice choice : choices) {
      if (cost(choice.gangs()).compareTo(policy.mostCost()) <= 0) {
        Optional<Found> found = move(choice, victims, open);
        if (found.isPresent()) {
          choice.gangs().forEach(gone -> untouched.add(gone.id()));
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private List<RunningGang> movable() {
    return tenants.all().stream()
        .filter(gang -> gang.works() && !untouched.contains(gang.id()))
        .filter(gang -> gang.request().terms().moveCost().isPresent())
        .filter(gang -> gang.members().stream().noneMatch(Member::leaving))
        .toList();
  }

  private Comparator<RunningGang> cheapest() {
    return Comparator.comparing((RunningGang gang) -> cost(List.of(gang)))
        .thenComparing(RunningGang::id);
  }

  private static Duration cost(List<RunningGang> gangs) {
    Duration cost = Duration.ZERO;
    for (RunningGang gang : gangs) {
      cost = cost.plus(gang.request().terms().moveCost().orElse(Duration.ZERO));
    }
    return cost;
  }

  /** Every place that would hold the gang if nobody who can be moved were there. */
  private List<Choice> placesWithout(
      Victims victims, List<RunningGang> movable, List<Search> searches) {
    int mark = pool.mark();
    victims.free(movable);
    List<Choice> places = Preemption.places(searches);
    pool.backTo(mark);
    return places;
  }

  private Optional<Found> move(Choice choice, Victims victims, Predicate<Site> open) {
    int mark = pool.mark();
    victims.free(choice.gangs());
    Promise promise =
        Reservations.promise(pool, () -> choice.search().take(choice.place())).orElseThrow();
    pool.backTo(mark);
    promise
        .parts()
        .forEach((node, part) -> pool.slot(node).ifPresent(slot -> pool.keep(slot, part.amount())));
    List<Move> moves = new ArrayList<>();
    List<Placement> targets = new ArrayList<>();
    for (RunningGang gang : choice.gangs()) {
      Optional<Placement> target = pool.place(asItRuns(gang), open);
      if (target.isEmpty()) {
        pool.backTo(mark);
        return Optional.empty();
      }
      targets.add(target.get());
      moves.addAll(moves(gang, target.get()));
    }
    pool.backTo(mark); // What is promised is set aside again by the one who keeps the promise.
    for (int i = 0; i < targets.size(); i++) {
      pool.takeAgain(targets.get(i), choice.gangs().get(i).request().need());
    }
    return Optional.of(new Found(moves, cost(choice.gangs()), promise));
  }

  private static GangRequest asItRuns(RunningGang gang) {
    List<Role> roles = new ArrayList<>();
    for (Role role : gang.request().roles()) {
      int ranks = (int) gang.members().stream().filter(m -> m.role().equals(role.name())).count();
      roles.add(role.withNodes(ranks));
    }
    return gang.request().withRoles(roles).withSpares(gang.spares().size());
  }

  private static List<Move> moves(RunningGang gang, Placement target) {
    List<Move> moves = new ArrayList<>();
    for (int i = 0; i < gang.members().size(); i++) {
      Member member = gang.members().get(i);
      Assignment to = target.assignments().get(i);
      moves.add(new Move(gang.id(), member.rank(), member.at().node(), to));
    }
    return moves;
  }
}

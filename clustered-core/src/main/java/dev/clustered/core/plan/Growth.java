// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Grow;
import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Shape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Gives running gangs more of what is left when everybody who waits has been served: the spares
 * that they lack, then more ranks to those that are between two attempts. Not thread-safe.
 */
final class Growth {

  private final Pool pool;
  private final Census census;
  private final Supply supply;
  private final Launches launches;
  private final Horizon horizon;
  private final Waiting waiting;
  private final Quotas quotas;
  private final Set<NodeId> promised;

  /** One gang, and what it gets. */
  private final class Wish {
    final RunningGang gang;
    final Bounds bounds;
    final Replacements nodes;
    final List<Assignment> ranks = new ArrayList<>();
    final List<Assignment> spares = new ArrayList<>();
    Total launched = Total.NONE;

    Wish(RunningGang gang) {
      this.gang = gang;
      this.bounds = new Bounds(gang, census.losses(), pool::slot);
      this.nodes = new Replacements(gang, bounds, pool, launches, census.losses(), promised);
    }

    RunningGang grown() {
      return CarriedOut.grown(gang, new Grow(gang.id(), ranks, spares), Growth.this::shape);
    }

    /** Whether its queue may have what it gets so far and is to get, and this too; charges it. */
    boolean charge(Total more) {
      RunningGang then = grown();
      Total coming = Shapes.spares(then, launches.shapes(gang.id())).plus(launched).plus(more);
      boolean allowed = quotas.allow(then, coming);
      if (allowed) {
        launched = launched.plus(more);
        quotas.charge(then, coming);
      }
      return allowed;
    }

    Optional<Loss> more(int rank) {
      return bounds.more(rank).filter(loss -> loss.was().isPresent());
    }

    /** Whether anything at all is free where a rank or spare would have to lie. */
    boolean room(Loss loss) {
      return bounds
          .scope(loss)
          .filter(scope -> pool.room(loss.was().orElseThrow(), loss.need(), scope) > 0)
          .isPresent();
    }
  }

  /** What runs once, and what was promised to those that wait. */
  Growth(
      Pool pool,
      Census census,
      Supply supply,
      Launches launches,
      Horizon horizon,
      Waiting waiting,
      Quotas quotas,
      Set<NodeId> promised) {
    this.pool = pool;
    this.census = census;
    this.supply = supply;
    this.launches = launches;
    this.horizon = horizon;
    this.waiting = waiting;
    this.quotas = quotas;
    this.promised = promised;
  }

  private Shape shape(NodeId node) {
    return pool.slot(node).orElseThrow().node().shape();
  }

  /**
   * What each gets that could have more: higher priorities first, then older gangs.
   *
   * @param decided what the plan does otherwise
   */
  List<Decision> all(List<Decision> decided) {
    List<Wish> wishes = wishes(decided);
    if (wishes.isEmpty()) {
      return List.of();
    }
    Unclaimed left = new Unclaimed(waiting, decided, horizon, supply, promised);
    boolean mayHaveMore = !quotas.limited() || !left.anybodyWaits();
    List<Decision> decisions = new ArrayList<>();
    for (Wish wish : wishes) {
      spares(wish, node -> false); // What was launched for it is nobody else's.
      if (wish.spares.size() == wish.gang.lackingSpares()) {
        launches.disown(wish.gang.id());
      }
    }
    for (Wish wish : wishes) {
      if (mayHaveMore) {
        spares(wish, left::leaves);
        launch(wish, left).ifPresent(decisions::add);
      }
    }
    for (Wish wish : wishes) {
      if (mayHaveMore) {
        ranks(wish, left::leaves);
      }
      if (!wish.ranks.isEmpty() || !wish.spares.isEmpty()) {
        decisions.add(new Grow(wish.gang.id(), wish.ranks, wish.spares));
      }
    }
    return decisions;
  }

  /** The gangs that could have more as they are when the plan so far is carried out. */
  private List<Wish> wishes(List<Decision> decided) {
    Map<ClusterId, RunningGang> gangs = new TreeMap<>();
    census.tenants().wanting().forEach(gang -> gangs.put(gang.id(), gang));
    census.losses().broken().forEach(gang -> gangs.put(gang.id(), gang));
    if (gangs.isEmpty()) {
      return List.of();
    }
    for (Decision decision : decided) {
      switch (decision) {
        case Decision.Replace d ->
            gangs.computeIfPresent(d.gang(), (id, gang) -> CarriedOut.replaced(gang, d));
        case Decision.Resize d ->
            gangs.computeIfPresent(d.gang(), (id, gang) -> CarriedOut.resized(gang, d));
        case Decision.Wait d -> gangs.remove(d.gang());
        case Launch d -> gangs.remove(d.gang());
        case Decision.Requeue d -> gangs.remove(d.gang());
        case Decision.Preempt d -> {
          d.victims().forEach(gangs::remove);
          d.shrinks().forEach(shrink -> gangs.remove(shrink.gang()));
        }
        case Decision.Migrate d -> d.moves().forEach(move -> gangs.remove(move.gang()));
        case Decision.Place d -> launches.disown(d.gang());
        case Decision.Refuse d -> launches.disown(d.gang());
        case Grow d -> {}
        case Decision.Release d -> {}
      }
    }
    Set<ClusterId> broken = new TreeSet<>();
    census.losses().broken().forEach(gang -> broken.add(gang.id()));
    gangs.keySet().stream().filter(id -> !broken.contains(id)).forEach(launches::putBack);
    broken.stream()
        .filter(id -> gangs.containsKey(id) && gangs.get(id).lackingSpares() == 0)
        .forEach(launches::disown);
    return wishes(gangs.values());
  }

  private List<Wish> wishes(Collection<RunningGang> gangs) {
    return gangs.stream()
        .filter(gang -> gang.lackingSpares() > 0 || gang.room() > 0)
        .sorted(Losses.ORDER)
        .map(Wish::new)
        .toList();
  }

  /** The spares that a gang lacks, as far as there are nodes. */
  private void spares(Wish wish, Predicate<NodeView> left) {
    while (wish.spares.size() < wish.gang.lackingSpares()) {
      Optional<Assignment> spare = node(wish, Replacement.SPARE, wish.spares, left);
      if (spare.isEmpty()) {
        return;
      }
    }
  }

  /** More ranks for a gang, as many as there are nodes, up to its largest size. */
  private void ranks(Wish wish, Predicate<NodeView> left) {
    while (wish.ranks.size() < wish.gang.room()) {
      int rank = wish.gang.members().getLast().rank() + 1 + wish.ranks.size();
      Optional<Assignment> more = node(wish, rank, wish.ranks, left);
      if (more.isEmpty()) {
        return;
      }
    }
  }

  /** Takes a node for a rank or spare more, if there is one that the gang's queue may have. */
  private Optional<Assignment> node(
      Wish wish, int rank, List<Assignment> to, Predicate<NodeView> left) {
    int mark = pool.mark();
    Optional<Assignment> found =
        wish.more(rank).filter(wish::room).flatMap(loss -> wish.nodes.more(loss, left));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    to.add(found.get());
    if (!wish.charge(Total.NONE)) {
      to.removeLast();
      pool.backTo(mark);
      return Optional.empty();
    }
    return found;
  }

  /** Launches the spares that a gang still lacks, where a launch keeps them where they must lie. */
  private Optional<Launch> launch(Wish wish, Unclaimed left) {
    int lacking = wish.gang.lackingSpares() - wish.spares.size();
    if (lacking == 0) {
      return Optional.empty();
    }
    Optional<Loss> loss = wish.more(Replacement.SPARE);
    Optional<Site> site = loss.flatMap(l -> Relaunch.site(wish.gang, l, wish.bounds));
    int missing = lacking - site.map(s -> launches.coming(wish.gang.id(), s.shape())).orElse(0);
    Optional<Offer> offer =
        site.stream()
            .flatMap(supply::of)
            .filter(o -> left.leaves(o) && supply.launchable(o) > 0)
            .findFirst();
    if (missing <= 0 || offer.isEmpty()) {
      return Optional.empty();
    }
    Role role = loss.orElseThrow().role();
    for (int nodes = Math.min(missing, supply.launchable(offer.get())); nodes > 0; nodes--) {
      Total more = Total.of(List.of(role.withNodes(nodes)), 0, offer.get().shape());
      if (wish.charge(more)) {
        supply.take(offer.get(), nodes);
        return Optional.of(new Launch(wish.gang.id(), offer.get(), nodes, Optional.empty()));
      }
    }
    return Optional.empty();
  }
}

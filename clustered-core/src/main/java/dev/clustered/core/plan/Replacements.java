// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Replacement;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds other nodes for what one running gang has lost. Not thread-safe. */
final class Replacements {

  private static final Comparator<Slot> BEST_FIT = Slot.FULLEST_FIRST.thenComparing(Slot.BY_PLACE);

  private final RunningGang gang;
  private final Bounds bounds;
  private final Pool pool;
  private final Launches launches;
  private final Losses losses;
  private final Set<NodeId> promised;
  private final List<Found> found = new ArrayList<>();
  private final State start;

  /** How far it is, so that a try can be taken back. */
  private record State(int mark, int found, Map<Bounds.Group, Place> anchors) {}

  /** A loss that is made good. */
  private record Found(Loss loss, Slot slot, Replacement replacement) {}

  /** A domain that a whole group could move to. */
  private record Domain(Place place, int distance, int free) {}

  /**
   * Nothing is found yet.
   *
   * @param promised what waiting gangs were promised: taken last
   */
  Replacements(
      RunningGang gang,
      Bounds bounds,
      Pool pool,
      Launches launches,
      Losses losses,
      Set<NodeId> promised) {
    this.gang = gang;
    this.bounds = bounds;
    this.pool = pool;
    this.launches = launches;
    this.losses = losses;
    this.promised = promised;
    this.start = state();
  }

  /** What was found, in rank order, then for spares. */
  List<Replacement> all() {
    return found.stream()
        .map(Found::replacement)
        .sorted(
            Comparator.comparing((Replacement r) -> r.rank() == Replacement.SPARE)
                .thenComparingInt(Replacement::rank)
                .thenComparing(Replacement::lost))
        .toList();
  }

  /**
   * Makes good as many losses as there are nodes for, each rank's in the domain where it must lie.
   *
   * @return those for which there is none
   */
  List<Loss> find(List<Loss> wanted) {
    List<Loss> left = new ArrayList<>();
    List<Loss> open = new ArrayList<>(wanted);
    while (!open.isEmpty()) {
      Loss loss = open.getFirst();
      Optional<Bounds.Group> loose = bounds.loose(loss);
      if (loose.isEmpty()) {
        open.removeFirst();
        if (!one(loss)) {
          left.add(loss);
        }
        continue;
      }
      List<Loss> together = open.stream().filter(l -> l.groups().contains(loose.get())).toList();
      open.removeAll(together);
      if (!together(loose.get(), together)) {
        left.addAll(together);
      }
    }
    return left;
  }

  /** Moves what is left of a whole group to one domain: the nearest that has enough, tightest. */
  private boolean together(Bounds.Group group, List<Loss> members) {
    for (Domain domain : domains(group, members)) {
      State before = state();
      bounds.anchor(group, domain.place());
      if (find(members).isEmpty()) {
        return true;
      }
      backTo(before);
    }
    return false;
  }

  private List<Domain> domains(Bounds.Group group, List<Loss> members) {
    Loss first = members.getFirst();
    Optional<Place> scope = bounds.scope(first);
    if (scope.isEmpty()) {
      return List.of();
    }
    Map<Place, Integer> free = new LinkedHashMap<>();
    List<Slot> candidates = new ArrayList<>(spares(first));
    candidates.addAll(free(first, scope.get(), Optional.empty()));
    for (Slot slot : candidates) {
      slot.place().around(group.level()).ifPresent(p -> free.merge(p, 1, Integer::sum));
    }
    List<Domain> domains = new ArrayList<>();
    free.forEach(
        (place, count) -> {
          if (first.need().perNode() > 1 || count >= members.size()) {
            domains.add(new Domain(place, distance(first, place), count));
          }
        });
    domains.sort(
        Comparator.comparingInt(Domain::distance)
            .thenComparingInt(Domain::free)
            .thenComparing(domain -> domain.place().toString()));
    return domains;
  }

  /** How many levels one goes up from the lost node to find a place inside; 0 when unknown. */
  private static int distance(Loss loss, Place place) {
    if (loss.was().isEmpty()) {
      return 0;
    }
    Place around = loss.was().get().place();
    int steps = 0;
    while (around != null && !contains(around, place)) {
      around = around.around();
      steps++;
    }
    return steps;
  }

  private static boolean contains(Place outer, Place inner) {
    Place place = inner;
    while (place != null && place.depth() > outer.depth()) {
      place = place.around();
    }
    return outer.equals(place);
  }

  private boolean one(Loss loss) {
    return spare(loss) || own(loss) || free(loss);
  }

  private boolean spare(Loss loss) {
    if (loss.isSpare()) {
      return false;
    }
    Optional<Slot> nearest =
        spares(loss).stream()
            .filter(slot -> bounds.within(loss, slot))
            .min(
                Comparator.comparingInt((Slot slot) -> distance(loss, slot.place()))
                    .thenComparing(Slot.BY_PLACE));
    nearest.ifPresent(slot -> take(loss, slot, holding(slot)));
    return nearest.isPresent();
  }

  /** The gang's spares that are ready, would do, and replace nothing yet. */
  private List<Slot> spares(Loss loss) {
    List<Slot> spares = new ArrayList<>();
    for (Holding spare : gang.spares()) {
      boolean used =
          found.stream()
              .anyMatch(
                  f -> f.replacement().spare() && f.replacement().to().node().equals(spare.node()));
      pool.slot(spare.node())
          .filter(slot -> !used && !loss.isSpare())
          .filter(slot -> slot.node().ready() && loss.suits(slot.node()))
          .filter(slot -> spare.takes().holds(loss.need().takes(slot.node().shape())))
          .ifPresent(spares::add);
    }
    return spares;
  }

  private Optional<Holding> holding(Slot slot) {
    return gang.spares().stream().filter(s -> s.node().equals(slot.node().id())).findFirst();
  }

  /** A node that was launched for the gang. */
  private boolean own(Loss loss) {
    return take(loss, launches.own(gang.id()).stream().filter(slot -> suits(loss, slot)));
  }

  /**
   * One rank or spare more: a node that was launched for the gang, else a free one that is left.
   *
   * @param left which nodes nobody else is to have
   */
  Optional<Assignment> more(Loss loss, Predicate<NodeView> left) {
    int before = found.size();
    boolean own =
        loss.isSpare()
            && take(loss, launches.own(gang.id()).stream().filter(slot -> suitsAsMore(loss, slot)));
    if (!own) {
      nearest(loss, slot -> suitsAsMore(loss, slot) && left.test(slot.node()));
    }
    return found.size() == before
        ? Optional.empty()
        : Optional.of(found.getLast().replacement().to());
  }

  private boolean suitsAsMore(Loss loss, Slot slot) {
    return suits(loss, slot) && bounds.holdsNothing(slot.node().id());
  }

  /** How many of the gang's spares boot that would do for some losses once they are there. */
  int booting(List<Loss> some) {
    return (int) boots(some).count();
  }

  /** The same of one shape alone. */
  int booting(List<Loss> some, String shape) {
    return (int) boots(some).filter(slot -> slot.node().shape().name().equals(shape)).count();
  }

  private Stream<Slot> boots(List<Loss> some) {
    return gang.spares().stream()
        .flatMap(spare -> pool.slot(spare.node()).stream())
        .filter(slot -> slot.node().health() == NodeHealth.BOOTING)
        .filter(
            slot -> some.stream().allMatch(l -> l.suits(slot.node()) && bounds.within(l, slot)));
  }

  /** A free node: the nearest to the lost one, and of equally near ones the fullest. */
  private boolean free(Loss loss) {
    Predicate<Slot> suits = slot -> bounds.within(loss, slot);
    return nearest(loss, suits.and(slot -> !promised.contains(slot.node().id())))
        || (!promised.isEmpty() && nearest(loss, suits));
  }

  private boolean nearest(Loss loss, Predicate<Slot> suits) {
    Optional<Place> scope = bounds.scope(loss);
    if (scope.isEmpty()) {
      return false;
    }
    Place inner = null;
    Place ring =
        loss.was().map(Slot::place).filter(p -> contains(scope.get(), p)).orElse(scope.get());
    while (ring != null) {
      if (take(loss, free(loss, ring, Optional.ofNullable(inner)).stream().filter(suits))) {
        return true;
      }
      inner = ring;
      ring = ring.equals(scope.get()) ? null : ring.around();
    }
    return false;
  }

  private boolean take(Loss loss, Stream<Slot> candidates) {
    Optional<Slot> best = candidates.min(BEST_FIT);
    best.ifPresent(slot -> take(loss, slot, Optional.empty()));
    return best.isPresent();
  }

  private boolean suits(Loss loss, Slot slot) {
    return fits(loss, slot) && bounds.within(loss, slot);
  }

  private boolean fits(Loss loss, Slot slot) {
    NodeView node = slot.node();
    return loss.suits(node)
        && slot.holds(loss.need())
        && bounds.mayHold(loss.need(), node.id())
        && !losses.lost(node.id())
        && !launches.keptFromOthers(node, gang.id());
  }

  /** The nodes in a place, but not in one inside it, that are free for a loss. */
  private List<Slot> free(Loss loss, Place place, Optional<Place> without) {
    List<Slot> slots = new ArrayList<>();
    collect(loss, place, without, slots);
    return slots;
  }

  private void collect(Loss loss, Place place, Optional<Place> without, List<Slot> slots) {
    if (without.filter(place::equals).isPresent()) {
      return;
    }
    place.nodes().values().stream().filter(slot -> fits(loss, slot)).forEach(slots::add);
    place.inside().forEach(inner -> collect(loss, inner, without, slots));
  }

  /** How many nodes are free for a loss where it must be made good. */
  int freeFor(Loss loss) {
    return bounds
        .scope(loss)
        .map(scope -> free(loss, scope, Optional.empty()))
        .map(slots -> (int) slots.stream().filter(slot -> bounds.within(loss, slot)).count())
        .orElse(0);
  }

  private void take(Loss loss, Slot slot, Optional<Holding> spare) {
    Assignment to =
        spare.isPresent() ? part(loss, slot, spare.get()) : pool.take(slot, loss.need());
    found.add(
        new Found(loss, slot, new Replacement(loss.rank(), loss.node(), to, spare.isPresent())));
    bounds.hold(loss, slot.node().id(), spare.isPresent());
  }

  /** What a rank gets of a node that the gang holds already. */
  private static Assignment part(Loss loss, Slot slot, Holding spare) {
    Resources takes = loss.need().takes(slot.node().shape());
    int gpus = Math.min(takes.gpus(), spare.gpus().size());
    return new Assignment(slot.node().id(), spare.gpus().subList(0, gpus));
  }

  /** Takes everything back. */
  void takeBack() {
    backTo(start);
  }

  private State state() {
    return new State(pool.mark(), found.size(), bounds.anchors());
  }

  private void backTo(State state) {
    pool.backTo(state.mark());
    bounds.anchorOnly(state.anchors());
    while (found.size() > state.found()) {
      Found last = found.removeLast();
      bounds.leave(last.loss(), last.slot().node().id(), last.replacement().spare());
    }
  }
}

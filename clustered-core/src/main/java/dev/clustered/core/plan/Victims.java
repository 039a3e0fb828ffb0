// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
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
 * Finds whom to end so that a gang fits into a place: as few as possible, then those that lose
 * least. Leaves the pool as it was. Not thread-safe.
 *
 * <p>Where each node is held by one gang, the largest part first is the fewest. Where gangs share
 * nodes, the step that frees most ranks for each gang ended is taken; then whoever is not needed is
 * given back, the most important first.
 */
final class Victims {

  private final Pool pool;
  private final Tenants tenants;
  private final Instant now;
  private final Owed owed;
  private final Predicate<RunningGang> candidates;
  private final Comparator<RunningGang> leastLoss;

  /** Whom to end, and what is lost by it. */
  record Choice(Search search, Place place, List<RunningGang> gangs, Duration lost) {}

  private record Step(Set<ClusterId> ends, int gain) {}

  /** A node that several hold, with those of them that could be ended. */
  private record Shared(Slot slot, List<RunningGang> holders) {}

  /**
   * Who holds a place.
   *
   * @param parts how many nodes, of those that take no rank, each candidate holds alone
   * @param shared the others that take none
   */
  private record Occupants(Map<ClusterId, Integer> parts, List<Shared> shared) {}

  /**
   * Among some gangs.
   *
   * @param candidates who could be ended
   * @param leastLoss who is ended rather than the others
   */
  Victims(
      Pool pool,
      Tenants tenants,
      Instant now,
      Owed owed,
      Predicate<RunningGang> candidates,
      Comparator<RunningGang> leastLoss) {
    this.pool = pool;
    this.tenants = tenants;
    this.now = now;
    this.owed = owed;
    this.candidates = candidates;
    this.leastLoss = leastLoss;
  }

  /** Frees what some of them hold. */
  void free(Collection<RunningGang> some) {
    Owed left = owed.copy();
    some.forEach(gang -> free(gang, left));
  }

  /** Frees what all candidates hold of a node. */
  void freeAllOn(NodeId node) {
    Owed left = owed.copy();
    on(node).forEach(gang -> freeOn(gang, node, left));
  }

  /** The candidates that hold a part of a node, in the order of their identities. */
  List<RunningGang> on(NodeId node) {
    List<RunningGang> some = new ArrayList<>();
    for (ClusterId id : tenants.on(node)) {
      tenants.find(id).filter(candidates).ifPresent(some::add);
    }
    return some;
  }

  private void free(RunningGang gang, Owed left) {
    for (Holding held : Tenants.holdings(gang)) {
      pool.give(held, left);
    }
  }

  /**
   * Who has to end for a place, which holds the gang when all candidates have ended; empty when
   * that would be more than so many.
   */
  Optional<Choice> choose(Search search, Place place, int most) {
    int mark = pool.mark();
    Occupants occupants = occupants(search, place);
    Set<ClusterId> chosen = new TreeSet<>();
    Owed left = owed.copy();
    while (!search.holds(place) && chosen.size() <= most) {
      Step step = next(search, place, occupants, chosen);
      for (ClusterId id : step.ends()) {
        chosen.add(id);
        free(required(id), left);
      }
    }
    boolean enough = search.holds(place);
    if (enough) {
      giveBack(search, place, chosen, mark);
    }
    pool.backTo(mark);
    List<RunningGang> gangs = chosen.stream().map(this::required).toList();
    return enough && gangs.size() <= most
        ? Optional.of(new Choice(search, place, gangs, lost(gangs)))
        : Optional.empty();
  }

  private RunningGang required(ClusterId id) {
    return tenants
        .find(id)
        .orElseThrow(() -> new IllegalStateException("gang " + id + " holds nothing"));
  }

  private Occupants occupants(Search search, Place place) {
    Map<ClusterId, Integer> parts = new TreeMap<>();
    List<Shared> shared = new ArrayList<>();
    for (Slot slot : search.nodesIn(place)) {
      if (slot.node().ready() && !search.holdsOne(slot)) {
        List<RunningGang> holders = on(slot.node().id());
        if (heldByOne(slot) && !holders.isEmpty()) {
          parts.merge(holders.getFirst().id(), 1, Integer::sum);
        } else if (!holders.isEmpty()) {
          shared.add(new Shared(slot, holders));
        }
      }
    }
    return new Occupants(parts, shared);
  }

  private boolean heldByOne(Slot slot) {
    return tenants.on(slot.node().id()).size() == 1;
  }

  /** How many have to end at first so that a node takes a rank, which it does when all have. */
  int firstStep(Search search, Slot slot) {
    return heldByOne(slot)
        ? 1
        : needed(search, new Shared(slot, on(slot.node().id())), Collections.emptySet())
            .map(Set::size)
            .orElse(0);
  }

  private Step next(Search search, Place place, Occupants occupants, Set<ClusterId> chosen) {
    Map<ClusterId, Integer> parts = occupants.parts();
    Optional<Step> alone = bestAlone(search.missing(place), parts, chosen);
    Optional<Step> together = bestTogether(search, occupants, chosen);
    return alone
        .filter(one -> together.filter(other -> better(other, one)).isEmpty())
        .or(() -> together)
        .orElseGet(() -> all(occupants, chosen));
  }

  private static boolean better(Step step, Step than) {
    return (long) step.gain() * than.ends().size() > (long) than.gain() * step.ends().size();
  }

  /** Of those that hold nodes alone: one that suffices and loses least, else the largest. */
  private Optional<Step> bestAlone(
      int missing, Map<ClusterId, Integer> parts, Set<ClusterId> chosen) {
    Comparator<Map.Entry<ClusterId, Integer>> largest =
        Comparator.comparingInt(entry -> Math.min(entry.getValue(), missing));
    return parts.entrySet().stream()
        .filter(entry -> !chosen.contains(entry.getKey()))
        .max(
            largest.thenComparing(
                (one, other) ->
                    leastLoss.compare(required(other.getKey()), required(one.getKey()))))
        .map(entry -> new Step(Collections.singleton(entry.getKey()), entry.getValue()));
  }

  /** Of the nodes that several share: the one whose holders free most for each that ends. */
  private Optional<Step> bestTogether(Search search, Occupants occupants, Set<ClusterId> chosen) {
    Map<Set<ClusterId>, Integer> gains = new LinkedHashMap<>();
    for (Shared shared : occupants.shared()) {
      if (!search.holdsOne(shared.slot())) {
        needed(search, shared, chosen).ifPresent(set -> gains.merge(set, 1, Integer::sum));
      }
    }
    Optional<Step> best = Optional.empty();
    for (Map.Entry<Set<ClusterId>, Integer> entry : gains.entrySet()) {
      int gain = entry.getValue();
      for (ClusterId id : entry.getKey()) {
        gain += chosen.contains(id) ? 0 : occupants.parts().getOrDefault(id, 0);
      }
      Step step = new Step(entry.getKey(), gain);
      if (best.isEmpty() || better(step, best.get()) || equalButLess(step, best.get())) {
        best = Optional.of(step);
      }
    }
    return best;
  }

  private boolean equalButLess(Step step, Step than) {
    long byGain = (long) than.gain() * step.ends().size() - (long) step.gain() * than.ends().size();
    if (byGain > 0) {
      return false;
    }
    int bySize = Integer.compare(step.ends().size(), than.ends().size());
    if (bySize != 0) {
      return bySize < 0;
    }
    return lost(gangs(step)).compareTo(lost(gangs(than))) < 0;
  }

  private List<RunningGang> gangs(Step step) {
    return step.ends().stream().map(this::required).toList();
  }

  /** Who must end, beside those chosen, so that a node takes a rank: as few as possible. */
  private Optional<Set<ClusterId>> needed(Search search, Shared shared, Set<ClusterId> chosen) {
    Slot slot = shared.slot();
    NodeId node = slot.node().id();
    List<RunningGang> there = new ArrayList<>(shared.holders());
    there.removeIf(gang -> chosen.contains(gang.id()));
    there.sort(
        Comparator.comparingInt((RunningGang gang) -> -gpusOn(gang, node))
            .thenComparing(leastLoss));
    int mark = pool.mark();
    Owed left = owed.copy();
    List<RunningGang> ended = new ArrayList<>();
    for (RunningGang gang : there) {
      if (search.holdsOne(slot)) {
        break;
      }
      ended.add(gang);
      freeOn(gang, node, left);
    }
    boolean enough = search.holdsOne(slot);
    Set<ClusterId> least = new TreeSet<>();
    ended.forEach(gang -> least.add(gang.id()));
    pool.backTo(mark);
    return enough && !least.isEmpty() ? Optional.of(least) : Optional.empty();
  }

  private static int gpusOn(RunningGang gang, NodeId node) {
    int gpus = 0;
    for (Holding held : Tenants.holdings(gang)) {
      if (held.node().equals(node)) {
        gpus += held.takes().gpus();
      }
    }
    return gpus;
  }

  private void freeOn(RunningGang gang, NodeId node, Owed left) {
    for (Holding held : Tenants.holdings(gang)) {
      if (held.node().equals(node)) {
        pool.give(held, left);
      }
    }
  }

  /** When no node alone is a step forward, everybody in the place. */
  private static Step all(Occupants occupants, Set<ClusterId> chosen) {
    Set<ClusterId> rest = new TreeSet<>(occupants.parts().keySet());
    occupants.shared().forEach(shared -> shared.holders().forEach(gang -> rest.add(gang.id())));
    rest.removeAll(chosen);
    if (rest.isEmpty()) {
      throw new IllegalStateException("a place that was said to suffice does not");
    }
    return new Step(rest, 1);
  }

  /** Lets live whoever need not end, those that lose most first. */
  private void giveBack(Search search, Place place, Set<ClusterId> chosen, int mark) {
    List<RunningGang> order = new ArrayList<>(chosen.stream().map(this::required).toList());
    order.sort(leastLoss.reversed());
    if (order.stream().flatMap(gang -> Tenants.holdings(gang).stream()).noneMatch(this::owes)) {
      order.forEach(gang -> letLive(search, place, chosen, gang));
      return;
    }
    for (RunningGang gang : order) {
      pool.backTo(mark);
      Owed left = owed.copy();
      for (ClusterId id : chosen) {
        if (!id.equals(gang.id())) {
          free(required(id), left);
        }
      }
      if (search.holds(place)) {
        chosen.remove(gang.id());
      }
    }
  }

  private boolean owes(Holding held) {
    return owed.of(held.node()).isPresent();
  }

  private void letLive(Search search, Place place, Set<ClusterId> chosen, RunningGang gang) {
    int mark = pool.mark();
    Tenants.holdings(gang).forEach(pool::holdAgain);
    if (search.holds(place)) {
      chosen.remove(gang.id());
    } else {
      pool.backTo(mark);
    }
  }

  private Duration lost(List<RunningGang> gangs) {
    Duration lost = Duration.ZERO;
    for (RunningGang gang : gangs) {
      lost = lost.plus(work(gang, now));
    }
    return lost;
  }

  /** The work of a gang so far: its nodes times how long it has run. */
  static Duration work(RunningGang gang, Instant now) {
    Duration ran = Duration.between(gang.startedAt(), now);
    long nodes = gang.members().size();
    return ran.isNegative()
        ? Duration.ZERO
        : Duration.ofSeconds(
            Math.multiplyExact(ran.getSeconds(), nodes), Math.multiplyExact(ran.getNano(), nodes));
  }
}

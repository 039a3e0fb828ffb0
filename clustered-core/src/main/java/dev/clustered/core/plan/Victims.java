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
import org.jspecify.annotations.Nullable;

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
   * @param parts who holds nodes alone that could take more ranks
   * @param shared the others that could
   */
  private record Occupants(Map<ClusterId, Alone> parts, List<Shared> shared) {

    int alone(ClusterId gang) {
      Alone alone = parts.get(gang);
      return alone == null ? 0 : alone.ranks;
    }
  }

  /** How many ranks more the nodes take that a gang holds alone, when it has ended. */
  private static final class Alone {
    final RunningGang gang;
    int ranks;

    Alone(RunningGang gang) {
      this.gang = gang;
    }
  }

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

  /** The candidates that hold a part of a node, in the order of their identities. */
  List<RunningGang> on(NodeId node) {
    return tenants.gangsOn(node).stream().filter(candidates).toList();
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
    Place where = search.wanting(place);
    Occupants occupants = occupants(search, where);
    Set<ClusterId> chosen = new TreeSet<>();
    Owed left = owed.copy();
    while (!search.holds(place) && chosen.size() <= most) {
      if (!where.equals(search.wanting(place))) {
        where = search.around(place);
        occupants = occupants(search, where);
      }
      Step step = next(search, place, occupants, chosen);
      for (ClusterId id : step.ends()) {
        chosen.add(id);
        free(required(id), left);
      }
    }
    Optional<Choice> choice = choice(search, place, chosen, mark);
    pool.backTo(mark);
    return choice.filter(some -> some.gangs().size() <= most);
  }

  /** Who of some has to end for a place, if it is enough when all of them do. */
  Optional<Choice> choose(Search search, Place place, Set<ClusterId> some) {
    int mark = pool.mark();
    Owed left = owed.copy();
    some.forEach(id -> free(required(id), left));
    Optional<Choice> choice = choice(search, place, new TreeSet<>(some), mark);
    pool.backTo(mark);
    return choice;
  }

  /** Of those that have ended since a mark, those that have to. */
  private Optional<Choice> choice(Search search, Place place, Set<ClusterId> chosen, int mark) {
    if (!search.holds(place)) {
      return Optional.empty();
    }
    if (chosen.size() > 1) { // One that was looked for was missed.
      giveBack(search, place, chosen, mark);
    }
    List<RunningGang> gangs = chosen.stream().map(this::required).toList();
    return Optional.of(new Choice(search, place, gangs, lost(gangs)));
  }

  private RunningGang required(ClusterId id) {
    return tenants
        .find(id)
        .orElseThrow(() -> new IllegalStateException("gang " + id + " holds nothing"));
  }

  private Occupants occupants(Search search, Place place) {
    Map<ClusterId, Alone> parts = new TreeMap<>();
    List<Shared> shared = new ArrayList<>();
    for (Slot slot : search.nodesIn(place)) {
      if (slot.node().ready() && search.rooms().taken(slot) > 0) {
        Collection<RunningGang> all = tenants.gangsOn(slot.node().id());
        List<RunningGang> holders = on(slot.node().id());
        if (all.size() == 1 && !holders.isEmpty()) {
          RunningGang gang = holders.getFirst();
          parts.computeIfAbsent(gang.id(), id -> new Alone(gang)).ranks += gain(search, slot, gang);
        } else if (!holders.isEmpty()) {
          shared.add(new Shared(slot, holders));
        }
      }
    }
    return new Occupants(parts, shared);
  }

  /** How many ranks more a node takes when the only one has ended that holds a part of it. */
  private int gain(Search search, Slot slot, RunningGang gang) {
    int taken = search.rooms().taken(slot);
    if (taken == 1) {
      return taken; // Most often, and it need not be tried.
    }
    int before = search.rooms().on(slot);
    int mark = pool.mark();
    freeOn(gang, slot.node().id(), owed.copy());
    int gain = search.rooms().on(slot) - before;
    pool.backTo(mark);
    return gain;
  }

  /**
   * Who has to end so that a node takes a rank: as few as possible, or some more; nobody when it
   * takes one already, or takes none even when all candidates have ended.
   */
  Set<ClusterId> holders(Search search, Slot slot) {
    List<RunningGang> on = on(slot.node().id());
    if (search.rooms().on(slot) > 0 || on.isEmpty()) {
      return Collections.emptySet();
    }
    return needed(search, new Shared(slot, on), Collections.emptySet())
        .orElse(Collections.emptySet());
  }

  private Step next(Search search, Place place, Occupants occupants, Set<ClusterId> chosen) {
    Optional<Step> alone = bestAlone(search.missing(place), occupants, chosen);
    Optional<Step> together = bestTogether(search, occupants, chosen);
    return alone
        .filter(one -> together.filter(other -> better(other, one)).isEmpty())
        .or(() -> together)
        .orElseGet(() -> all(search, place, chosen));
  }

  private static boolean better(Step step, Step than) {
    return (long) step.gain() * than.ends().size() > (long) than.gain() * step.ends().size();
  }

  /** Of those that hold nodes alone: one that suffices and loses least, else the largest. */
  private Optional<Step> bestAlone(int missing, Occupants occupants, Set<ClusterId> chosen) {
    @Nullable Alone best = null;
    for (Alone alone : occupants.parts().values()) {
      if (alone.ranks > 0
          && !chosen.contains(alone.gang.id())
          && (best == null || larger(alone, best, missing))) {
        best = alone;
      }
    }
    return Optional.ofNullable(best)
        .map(alone -> new Step(Collections.singleton(alone.gang.id()), alone.ranks));
  }

  private boolean larger(Alone one, Alone than, int missing) {
    int order = Integer.compare(Math.min(one.ranks, missing), Math.min(than.ranks, missing));
    return order == 0 ? leastLoss.compare(one.gang, than.gang) < 0 : order > 0;
  }

  /** Of the nodes that several share: the one whose holders free most for each that ends. */
  private Optional<Step> bestTogether(Search search, Occupants occupants, Set<ClusterId> chosen) {
    Map<Set<ClusterId>, Integer> gains = new LinkedHashMap<>();
    for (Shared shared : occupants.shared()) {
      if (search.rooms().taken(shared.slot()) > 0) {
        needed(search, shared, chosen).ifPresent(set -> gains.merge(set, 1, Integer::sum));
      }
    }
    Optional<Step> best = Optional.empty();
    for (Map.Entry<Set<ClusterId>, Integer> entry : gains.entrySet()) {
      int gain = entry.getValue();
      for (ClusterId id : entry.getKey()) {
        gain += chosen.contains(id) ? 0 : occupants.alone(id);
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

  /** Who must end, beside those chosen, so that a node takes a rank more: as few as possible. */
  private Optional<Set<ClusterId>> needed(Search search, Shared shared, Set<ClusterId> chosen) {
    Slot slot = shared.slot();
    NodeId node = slot.node().id();
    List<RunningGang> there = new ArrayList<>(shared.holders());
    there.removeIf(gang -> chosen.contains(gang.id()));
    there.sort(
        Comparator.comparingInt((RunningGang gang) -> -gpusOn(gang, node))
            .thenComparing(leastLoss));
    int before = search.rooms().on(slot);
    int mark = pool.mark();
    Owed left = owed.copy();
    List<RunningGang> ended = new ArrayList<>();
    for (RunningGang gang : there) {
      if (search.rooms().on(slot) > before) {
        break;
      }
      ended.add(gang);
      freeOn(gang, node, left);
    }
    boolean enough = search.rooms().on(slot) > before;
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
  private Step all(Search search, Place place, Set<ClusterId> chosen) {
    Set<ClusterId> rest = new TreeSet<>();
    for (Slot slot : search.nodesIn(search.around(place))) {
      on(slot.node().id()).forEach(gang -> rest.add(gang.id()));
    }
    rest.removeAll(chosen);
    if (rest.isEmpty()) {
      throw new IllegalStateException("place " + place + " was said to suffice, and does not");
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

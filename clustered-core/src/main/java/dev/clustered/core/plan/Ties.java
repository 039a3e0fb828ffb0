// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The order in which gangs are served, with those that tie arranged.
 *
 * <p>Gangs tie that come after each other in their turn, with the same priority since the same
 * moment in the same queue, and want the same: whole nodes, or parts of which a node holds one, all
 * in one domain of the same level. As long as all of them find a domain in their turn nothing is
 * arranged, nor where shares of queues decide. Else those that {@link Arrangement} finds a domain
 * for are served first, each in its domain, then the others in their turn. The first of them is
 * among those if it can be, unless it could have had its nodes as soon as it came: then nobody has
 * told it to wait for them. Not thread-safe.
 */
final class Ties {

  private final Pool pool;
  private final Predicate<Site> open;
  private final Predicate<GangRequest> free;
  private final Deque<GangRequest> run = new ArrayDeque<>();
  private final Map<ClusterId, Domain> arranged = new TreeMap<>();
  private Optional<GangRequest> after = Optional.empty();
  private int untouched; // How many are served as they stand before the rest is looked at.

  /** A domain of the pool, for the gangs of one need. */
  private record Domain(int search, Place place) {}

  /**
   * Nobody tied yet.
   *
   * @param open where no earlier gang needs all that there is
   * @param free whether a gang waits for nothing that it was promised or that is launched for it
   */
  Ties(Pool pool, Predicate<Site> open, Predicate<GangRequest> free) {
    this.pool = pool;
    this.open = open;
    this.free = free;
  }

  /** Who is next of those whose turns these are; it is not named again. */
  Optional<GangRequest> next(Turns turns) {
    if (turns.byShare()) {
      return turns.next();
    }
    if (run.isEmpty()) {
      gather(turns);
    }
    if (untouched == 0 && run.size() > 1) {
      arrange();
    }
    untouched--;
    return Optional.ofNullable(run.poll());
  }

  /** Takes the nodes of the domain that was found for a gang. */
  Optional<Placement> take(GangRequest gang) {
    return Optional.ofNullable(arranged.remove(gang.id()))
        .flatMap(domain -> pool.searches(gang, open).get(domain.search()).take(domain.place()));
  }

  private void gather(Turns turns) {
    Optional<GangRequest> next = after.isPresent() ? after : turns.next();
    next.ifPresent(run::add);
    after = Optional.empty();
    untouched = 0;
    if (next.filter(this::simple).isEmpty()) {
      return;
    }
    next = turns.next();
    while (next.filter(gang -> simple(gang) && tie(run.getFirst(), gang)).isPresent()) {
      run.add(next.get());
      next = turns.next();
    }
    after = next;
  }

  private boolean simple(GangRequest gang) {
    return gang.roles().size() == 1
        && gang.roles().getFirst().layout().equals(Layout.ANY)
        && gang.minimum() == gang.nodes()
        && gang.spares() == 0
        && gang.alternatives().isEmpty()
        && gang.layout().required().isPresent()
        && !gang.layout().ordered()
        && free.test(gang);
  }

  private static boolean tie(GangRequest one, GangRequest other) {
    return one.priority() == other.priority()
        && one.queuedAt().equals(other.queuedAt())
        && one.terms().queue().equals(other.terms().queue())
        && one.need().equals(other.need())
        && one.layout().equals(other.layout());
  }

  /** Arranges those that are left, or puts that off until the next of them finds a domain. */
  private void arrange() {
    List<GangRequest> gangs = List.copyOf(run);
    List<Search> searches =
        pool.searches(Collections.min(gangs, Comparator.comparingInt(GangRequest::nodes)), open);
    List<Domain> domains = new ArrayList<>();
    for (int search = 0; search < searches.size(); search++) {
      for (Place place : searches.get(search).domains()) {
        domains.add(new Domain(search, place));
      }
    }
    int[] room =
        domains.stream().mapToInt(d -> searches.get(d.search()).rooms().at(d.place())).toArray();
    int[] sizes = gangs.stream().mapToInt(GangRequest::nodes).toArray();
    int most = IntStream.of(room).max().orElse(0);
    int waiting = 0;
    while (waiting < sizes.length && sizes[waiting] > most) {
      waiting++;
    }
    untouched = waiting > 0 ? waiting : sizes.length;
    if (waiting == 0
        && searches.stream().allMatch(Search::oneRankPerNode)
        && !allFit(room, sizes)) {
      GangRequest first = gangs.getFirst();
      boolean atOnce =
          domains.stream().anyMatch(d -> wasFree(first, searches.get(d.search()), d.place()));
      serve(gangs, Arrangement.of(room, sizes, !atOnce), domains);
    }
  }

  /** Whether each gang finds a domain in its turn. */
  private static boolean allFit(int[] room, int[] sizes) {
    NavigableMap<Integer, Integer> left = new TreeMap<>();
    IntStream.of(room).forEach(ranks -> left.merge(ranks, 1, Integer::sum));
    for (int size : sizes) {
      Integer tightest = left.ceilingKey(size);
      if (tightest == null) {
        return false;
      }
      left.computeIfPresent(tightest, (ranks, domains) -> domains == 1 ? null : domains - 1);
      left.merge(tightest - size, 1, Integer::sum);
    }
    return true;
  }

  /** Whether a domain was free for a gang when it came. */
  private static boolean wasFree(GangRequest gang, Search search, Place place) {
    return search.rooms().at(place) >= gang.nodes()
        && search.nodesIn(place).stream()
                .filter(slot -> search.rooms().on(slot) > 0)
                .filter(
                    slot ->
                        slot.node()
                            .idleSince()
                            .filter(since -> !since.isAfter(gang.queuedAt()))
                            .isPresent())
                .count()
            >= gang.nodes();
  }

  private void serve(List<GangRequest> gangs, int[] homes, List<Domain> domains) {
    run.clear();
    for (int gang = 0; gang < homes.length; gang++) {
      if (homes[gang] != Arrangement.NOWHERE) {
        arranged.put(gangs.get(gang).id(), domains.get(homes[gang]));
        run.add(gangs.get(gang));
      }
    }
    gangs.stream().filter(gang -> !arranged.containsKey(gang.id())).forEach(run::add);
  }
}

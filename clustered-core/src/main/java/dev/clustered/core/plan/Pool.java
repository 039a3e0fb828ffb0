// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The nodes by domain, and what this plan has left of them. Not thread-safe. */
final class Pool {

  /** The smallest shape first, then a fabric before its site, then the fewest that are free. */
  private static final Comparator<Candidate> TIGHTEST =
      Comparator.comparingInt((Candidate c) -> c.shape().resources().gpus())
          .thenComparingInt(c -> c.shape().resources().cpus())
          .thenComparing(c -> c.shape().resources().memory())
          .thenComparing(Candidate::extent)
          .thenComparingInt(c -> c.free().size())
          .thenComparing(Candidate::domain);

  private final Map<Domain, List<Slot>> domains = new TreeMap<>();

  private enum Extent {
    FABRIC,
    SITE
  }

  /** Free slots that a gang could take together. */
  private record Candidate(Domain domain, Extent extent, Shape shape, List<Slot> free) {}

  /** How many nodes of a domain suit a gang. */
  record Count(int free, int busy) {
    static final Count NONE = new Count(0, 0);

    Count plus(Count other) {
      return new Count(free + other.free, busy + other.busy);
    }

    int all() {
      return free + busy;
    }
  }

  Pool(List<NodeView> nodes) {
    for (NodeView node : nodes) {
      domains.computeIfAbsent(Domain.of(node), domain -> new ArrayList<>()).add(new Slot(node));
    }
    domains.values().forEach(slots -> slots.sort(Slot.BY_PLACE));
  }

  /**
   * Takes nodes for the whole gang out of the tightest domain that has them, in rank order.
   *
   * @param open where the gang may go
   */
  Optional<List<Assignment>> place(GangRequest gang, Predicate<Site> open) {
    return candidates(gang, open).stream()
        .filter(candidate -> candidate.free().size() >= gang.nodes())
        .min(TIGHTEST)
        .map(
            candidate ->
                choice(gang, candidate.free()).stream()
                    .sorted(Slot.BY_PLACE)
                    .map(slot -> slot.take(gang))
                    .toList());
  }

  private List<Candidate> candidates(GangRequest gang, Predicate<Site> open) {
    List<Candidate> candidates = new ArrayList<>();
    Map<Site, Candidate> sites = new TreeMap<>();
    domains.forEach(
        (domain, slots) -> {
          Shape shape = slots.getFirst().node().shape();
          if (suits(gang, domain, shape) && open.test(domain.site())) {
            List<Slot> free = slots.stream().filter(slot -> slot.holds(gang)).toList();
            candidates.add(new Candidate(domain, Extent.FABRIC, shape, free));
            sites
                .computeIfAbsent(
                    domain.site(),
                    site ->
                        new Candidate(domain.wholeSite(), Extent.SITE, shape, new ArrayList<>()))
                .free()
                .addAll(free);
          }
        });
    if (gang.rdma().isEmpty()) {
      candidates.addAll(sites.values());
    }
    return candidates;
  }

  private static boolean suits(GangRequest gang, Domain domain, Shape shape) {
    boolean place = gang.rdma().isEmpty() || !domain.fabric().isEmpty();
    return place && gang.fits(domain.site().backend(), shape);
  }

  private static List<Slot> choice(GangRequest gang, List<Slot> free) {
    return gang.wholeNodes()
        ? nearest(free.stream().sorted(Slot.BY_PLACE).toList(), gang.nodes())
        : free.stream().sorted(Slot.FULLEST_FIRST).limit(gang.nodes()).toList();
  }

  /** The first run of nodes that share the most levels; the ends of a run tell what all share. */
  private static List<Slot> nearest(List<Slot> byPlace, int nodes) {
    int best = 0;
    int depth = -1;
    for (int first = 0; first + nodes <= byPlace.size(); first++) {
      int shared = byPlace.get(first).sharedDepth(byPlace.get(first + nodes - 1));
      if (shared > depth) {
        best = first;
        depth = shared;
      }
    }
    return byPlace.subList(best, best + nodes);
  }

  /** What suits the gang, by fabric with RDMA and by site without. */
  Map<Domain, Count> counts(GangRequest gang) {
    Map<Domain, Count> counts = new TreeMap<>();
    domains.forEach(
        (domain, slots) -> {
          if (suits(gang, domain, slots.getFirst().node().shape())) {
            Domain key = gang.rdma().isPresent() ? domain : domain.wholeSite();
            counts.merge(key, count(gang, slots), Count::plus);
          }
        });
    return counts;
  }

  private static Count count(GangRequest gang, List<Slot> slots) {
    int free = (int) slots.stream().filter(slot -> slot.holds(gang)).count();
    int usable = (int) slots.stream().filter(slot -> slot.node().usable()).count();
    return new Count(free, usable - free);
  }

  /** Nodes that nobody holds and that this plan gives to nobody. */
  List<Slot> empty() {
    return domains.values().stream().flatMap(List::stream).filter(Slot::empty).toList();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ErrorCode;
import dev.clustered.model.Resources;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import dev.clustered.model.WaitReason.Barred;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Puts into numbers why a gang waits or can never be. The numbers of a reason add up: what is free,
 * what others use, and what is barred are all that there is in the domain. Not thread-safe.
 */
final class Explanation {

  private static final Comparator<Candidate> MOST_FIRST =
      Comparator.comparingInt((Candidate c) -> Math.max(c.count().free(), c.launchable()))
          .thenComparingInt(c -> c.count().all())
          .reversed()
          .thenComparing(Candidate::domain);

  private final Pool pool;
  private final Supply supply;
  private final Census census;
  private final Reservations reservations;
  private final Bars bars;
  private final Fragments fragments;
  private boolean silent;

  private record Candidate(Domain domain, Pool.Count count, int launchable) {

    boolean lacks(GangRequest part, int kept) {
      return Math.max(count.free() + kept, launchable) < part.least();
    }

    boolean has(Slot slot) {
      return slot.node().site().equals(domain.site())
          && (domain.fabric().isEmpty() || domain.fabric().equals(slot.node().fabric()));
    }
  }

  Explanation(Pool pool, Supply supply, Census census, Reservations reservations) {
    this.pool = pool;
    this.supply = supply;
    this.census = census;
    this.reservations = reservations;
    this.bars = new Bars(pool, census, reservations);
    this.fragments = new Fragments(pool, bars);
  }

  /** Nobody will read why gangs wait. */
  void saysNothing() {
    silent = true;
  }

  /**
   * Why neither the free nodes nor a launch suffice.
   *
   * @param sites where the gang could be at all
   */
  List<WaitReason> reasons(GangRequest gang, Set<Site> sites) {
    if (silent) {
      return List.of();
    }
    GangRequest way = gang.ways().getFirst();
    boolean launchable = way.launchable();
    Optional<WaitReason.Kept> kept = reservations.keptAt(sites);
    int others = kept.map(WaitReason.Kept::nodes).orElse(0);
    List<GangRequest> parts = way.parts();
    List<WaitReason> reasons = new ArrayList<>();
    kept.ifPresent(reasons::add);
    for (GangRequest part : parts) {
      Optional<Candidate> best = best(part, launchable).filter(one -> one.lacks(part, others));
      if (best.isPresent()) {
        notEnough(part, best.get(), reasons);
        break;
      }
    }
    if (reasons.isEmpty()) {
      parts.stream()
          .flatMap(part -> fragmented(part).stream())
          .findFirst()
          .or(() -> notTogether(way))
          .ifPresent(reasons::add);
    }
    supply
        .suiting(gang)
        .flatMap(offer -> supply.coolDown(offer).stream())
        .distinct()
        .map(c -> new WaitReason.CoolingDown(c.zone(), c.shape(), c.until(), c.failure()))
        .forEach(reasons::add);
    return reasons;
  }

  /** What the best domain has of the nodes that a gang asks for, and what is barred elsewhere. */
  private void notEnough(GangRequest part, Candidate best, List<WaitReason> reasons) {
    String name = best.domain().toString();
    Need need = part.need();
    int each =
        census.sites().containsKey(best.domain().site())
            ? need.ranks(census.sites().get(best.domain().site()).shape)
            : 1;
    Bars.Inside inside = bars.inside(need, name, best::has, each);
    reasons.add(
        new WaitReason.NotEnoughNodes(
            part.least(),
            name,
            best.count().free(),
            inside.busy(best.count().all(), best.count().free()),
            best.launchable(),
            inside.barred()));
    Layout layout = part.layout().with(part.roles().getFirst().layout());
    List<Barred> elsewhere = bars.elsewhere(need, layout.levels(), name, best::has);
    if (!elsewhere.isEmpty()) {
      reasons.add(new WaitReason.NotForIt(elsewhere));
    }
  }

  /** What a layout asks of one domain, when no domain has it although enough is free in a zone. */
  private Optional<WaitReason> fragmented(GangRequest part) {
    int together = best(part, false).map(best -> best.count().free()).orElse(0);
    Layout layout = part.layout().with(part.roles().getFirst().layout());
    return layout.level().isEmpty() || together < part.least() || pool.fits(part, site -> true)
        ? Optional.empty()
        : fragments.reason(part, together);
  }

  /** What all ranks and spares ask of one domain, when each part alone would find room. */
  private Optional<WaitReason> notTogether(GangRequest way) {
    boolean counted =
        way.roles().size() == 1
            && way.layout().equals(Layout.ANY)
            && way.roles().getFirst().layout().equals(Layout.ANY)
            && (way.spares() == 0 || way.need().perNode() == 1);
    if (counted || pool.fits(way, site -> true)) {
      return Optional.empty();
    }
    String zone = way.rdma().isPresent() ? TopologyPath.FABRIC : TopologyPath.ZONE;
    String level = way.layout().required().orElse(zone);
    int together = best(way, false).map(most -> most.count().free()).orElse(0);
    return Optional.of(fragments.together(way.need(), way.least(), level, together));
  }

  /** The domain with the most nodes that are free or could be launched. */
  private Optional<Candidate> best(GangRequest gang, boolean launched) {
    Need need = gang.need();
    Map<Domain, Pool.Count> counts = pool.counts(gang);
    Map<Site, Integer> launchable = new TreeMap<>();
    supply
        .suiting(need)
        .filter(offer -> launched)
        .forEach(o -> launchable.merge(Site.of(o), supply.launchable(o), Math::max));
    launchable.keySet().forEach(site -> counts.putIfAbsent(new Domain(site, ""), Pool.Count.NONE));
    if (counts.isEmpty()) { // Nothing is open to it, or all is out of use: it is told how much.
      census
          .sites()
          .forEach(
              (site, there) -> {
                if (need.fits(site.backend(), there.shape) && !site.zone().isEmpty()) {
                  counts.put(new Domain(site, ""), Pool.Count.NONE);
                }
              });
    }
    return counts.entrySet().stream()
        .map(
            entry ->
                new Candidate(
                    entry.getKey(),
                    entry.getValue(),
                    launchable.getOrDefault(entry.getKey().site(), 0)))
        .min(MOST_FIRST);
  }

  /** No place would hold the gang even if nobody held anything, and no node is to come. */
  Decision.Refuse nowhere(GangRequest gang) {
    List<Layout> layouts = new ArrayList<>(List.of(gang.layout()));
    gang.roles().forEach(role -> layouts.add(role.layout()));
    Set<String> levels = pool.levels();
    Optional<String> unknown =
        layouts.stream()
            .flatMap(layout -> layout.levels().stream())
            .filter(level -> !levels.contains(level))
            .findFirst();
    if (unknown.isPresent()) {
      return new Decision.Refuse(
          gang.id(),
          ErrorCode.CANNOT_EVER_FIT,
          "gang %s asks for the level \"%s\", and no node reports it; there are: %s"
              .formatted(gang.id(), unknown.get(), levels));
    }
    String why =
        gang.ways().getFirst().parts().stream()
            .flatMap(part -> fragments.never(part).stream())
            .findFirst()
            .orElse("ask for fewer nodes or a looser layout");
    return new Decision.Refuse(
        gang.id(),
        ErrorCode.CANNOT_EVER_FIT,
        "no place would hold gang %s of %d nodes with its layout (%s) even if all nodes were free; %s"
            .formatted(
                gang.id(),
                gang.minimum(),
                layouts.stream()
                    .flatMap(layout -> layout.inWords().stream())
                    .collect(Collectors.joining(", ")),
                why));
  }

  /** Why nothing could ever hold the gang. */
  Decision.Refuse refusal(GangRequest gang, Horizon horizon) {
    String backend = gang.backend().orElse("");
    if (gang.backend().isPresent() && !horizon.backends().contains(backend)) {
      return new Decision.Refuse(
          gang.id(),
          ErrorCode.UNKNOWN_BACKEND,
          "no node and no offer is of the backend %s; there are: %s"
              .formatted(backend, horizon.backends()));
    }
    int rate = horizon.bestRate(gang);
    int minimum = gang.rdma().map(wish -> wish.minimumGigabits()).orElse(0);
    if (rate >= 0 && rate < minimum) {
      return new Decision.Refuse(
          gang.id(),
          ErrorCode.FABRIC_UNAVAILABLE,
          "%s; the best RDMA rate of a shape that would do otherwise is %d Gb/s; allow a lower rate, another shape, or no RDMA"
              .formatted(asked(gang), rate));
    }
    return new Decision.Refuse(
        gang.id(), ErrorCode.CANNOT_EVER_FIT, asked(gang) + "; " + most(gang, horizon));
  }

  /** What could ever be there, and what there is beside that but is closed to the gang. */
  private String most(GangRequest gang, Horizon horizon) {
    List<GangRequest> parts = gang.ways().getFirst().parts();
    GangRequest scarce =
        parts.stream()
            .filter(part -> horizon.most(part).values().stream().allMatch(m -> m < part.least()))
            .findFirst()
            .orElse(parts.getFirst());
    Optional<Map.Entry<Site, Long>> most =
        horizon.most(scarce).entrySet().stream()
            .max(
                Map.Entry.<Site, Long>comparingByValue()
                    .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())));
    return most.map(
            e ->
                "the most that could ever be in one %s is %d, in %s%s; ask for so many or fewer"
                    .formatted(
                        scarce.rdma().isPresent() ? "fabric" : "zone",
                        e.getValue(),
                        e.getKey(),
                        closed(scarce.need(), e.getKey())))
        .orElseGet(
            () ->
                "no node and no offer is of such a shape; there are: %s"
                    .formatted(horizon.shapes(scarce)));
  }

  private String closed(Need need, Site site) {
    List<Barred> closed = bars.closed(need, slot -> slot.node().site().equals(site));
    return closed.isEmpty()
        ? ""
        : closed.stream()
            .map(Barred::toString)
            .collect(Collectors.joining(", ", ", beside those that are not for it: ", ""));
  }

  private static String asked(GangRequest gang) {
    GangRequest way = gang.ways().getFirst();
    String fabric =
        way.roles().stream()
            .flatMap(role -> role.need().rdma().stream())
            .map(wish -> " on one fabric of %d Gb/s".formatted(wish.minimumGigabits()))
            .findFirst()
            .orElse("");
    return way.parts().stream()
        .map(Explanation::askedOfOne)
        .collect(Collectors.joining(" and ", "asked ", " in one zone" + fabric));
  }

  private static String askedOfOne(GangRequest part) {
    String each = part.each().map(Resources::toString).map(r -> " with " + r).orElse("");
    String shape = part.shape().map(s -> " of shape " + s).orElse("");
    String says = part.need().attributes().isEmpty() ? "" : " that say " + part.need().attributes();
    long most = (long) part.nodes() + part.spares();
    String least = part.least() == most ? "" : part.least() + " to ";
    return least + (most == 1 ? "1 node" : most + " nodes") + shape + each + says;
  }
}

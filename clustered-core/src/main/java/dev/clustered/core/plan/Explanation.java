// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ErrorCode;
import dev.clustered.model.Resources;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts into numbers why a gang waits or can never be. Not thread-safe. */
final class Explanation {

  private static final Comparator<Candidate> MOST_FIRST =
      Comparator.comparingInt((Candidate c) -> Math.max(c.count().free(), c.launchable()))
          .thenComparingInt(c -> c.count().all())
          .reversed()
          .thenComparing(Candidate::domain);

  private final Pool pool;
  private final Supply supply;

  private record Candidate(Domain domain, Pool.Count count, int launchable) {}

  Explanation(Pool pool, Supply supply) {
    this.pool = pool;
    this.supply = supply;
  }

  /**
   * Why neither the free nodes nor a launch suffice.
   *
   * @param kept what is free but kept for others
   */
  List<WaitReason> reasons(GangRequest gang, Optional<WaitReason.Kept> kept) {
    GangRequest way = gang.ways().getFirst();
    boolean launchable = way.launchable();
    int others = kept.map(WaitReason.Kept::nodes).orElse(0);
    List<GangRequest> parts = way.parts();
    List<WaitReason> reasons = new ArrayList<>();
    kept.ifPresent(reasons::add);
    Optional<WaitReason> scarce =
        parts.stream().flatMap(part -> scarce(part, launchable, others).stream()).findFirst();
    scarce.ifPresent(reasons::add);
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

  private Optional<WaitReason> scarce(GangRequest part, boolean launchable, int kept) {
    return best(part, launchable)
        .filter(best -> Math.max(best.count().free() + kept, best.launchable()) < part.least())
        .map(best -> notEnough(part, best))
        .findFirst();
  }

  /** What a layout asks of one domain, when no domain has it although enough is free in a zone. */
  private Optional<WaitReason> fragmented(GangRequest part) {
    Layout layout = part.layout().with(part.roles().getFirst().layout());
    int together = best(part, false).mapToInt(best -> best.count().free()).findFirst().orElse(0);
    int asked = layout.together(part.minimum());
    if (layout.level().isEmpty() || together < part.least() || pool.fits(part, site -> true)) {
      return Optional.empty();
    }
    Pool.Roomiest best = pool.roomiest(part, layout.level());
    int times = (part.minimum() + asked - 1) / asked;
    return Optional.of(
        new WaitReason.Fragmented(
            asked, times, layout.level(), best.name(), best.free(), together));
  }

  /** What all ranks and spares ask of one domain, when each part alone would find room. */
  private Optional<WaitReason> notTogether(GangRequest way) {
    boolean counted = way.roles().size() == 1 && (way.spares() == 0 || way.need().perNode() == 1);
    if (counted || pool.fits(way, site -> true)) {
      return Optional.empty();
    }
    String zone = way.rdma().isPresent() ? TopologyPath.FABRIC : TopologyPath.ZONE;
    String level = way.layout().required().orElse(zone);
    Pool.Roomiest best = pool.roomiest(way, level);
    int together = best(way, false).mapToInt(most -> most.count().free()).findFirst().orElse(0);
    return Optional.of(
        new WaitReason.Fragmented(way.least(), 1, level, best.name(), best.free(), together));
  }

  private static WaitReason notEnough(GangRequest gang, Candidate best) {
    return new WaitReason.NotEnoughNodes(
        gang.least(),
        best.domain().toString(),
        best.count().free(),
        best.count().busy(),
        best.launchable());
  }

  private Stream<Candidate> best(GangRequest gang, boolean launched) {
    Map<Domain, Pool.Count> counts = pool.counts(gang);
    Map<Site, Integer> launchable = new TreeMap<>();
    supply
        .suiting(gang.need())
        .filter(offer -> launched)
        .forEach(o -> launchable.merge(Site.of(o), supply.launchable(o), Math::max));
    launchable.keySet().forEach(site -> counts.putIfAbsent(new Domain(site, ""), Pool.Count.NONE));
    return counts.entrySet().stream()
        .map(
            entry ->
                new Candidate(
                    entry.getKey(),
                    entry.getValue(),
                    launchable.getOrDefault(entry.getKey().site(), 0)))
        .sorted(MOST_FIRST)
        .limit(1);
  }

  /** No place would hold the gang even if nobody held anything, and no node is to come. */
  Decision.Refuse nowhere(GangRequest gang, List<WaitReason> reasons) {
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
    String why = reasons.isEmpty() ? "" : " (%s)".formatted(reasons.getLast());
    return new Decision.Refuse(
        gang.id(),
        ErrorCode.CANNOT_EVER_FIT,
        "no place would hold gang %s of %d nodes with its layout (%s) even if all nodes were free%s; ask for fewer nodes or a looser layout"
            .formatted(
                gang.id(),
                gang.minimum(),
                layouts.stream()
                    .flatMap(layout -> layout.inWords().stream())
                    .collect(Collectors.joining(", ")),
                why));
  }

  /** Why nothing could ever hold the gang. */
  static Decision.Refuse refusal(GangRequest gang, Horizon horizon) {
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

  private static String most(GangRequest gang, Horizon horizon) {
    List<GangRequest> parts = gang.ways().getFirst().parts();
    GangRequest scarce =
        parts.stream()
            .filter(part -> horizon.most(part).values().stream().allMatch(m -> m < part.least()))
            .findFirst()
            .orElse(parts.getFirst());
    return horizon.most(scarce).entrySet().stream()
        .max(
            Map.Entry.<Site, Long>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
        .map(
            e ->
                "the most that could ever be in one %s is %d, in %s; ask for so many or fewer"
                    .formatted(
                        scarce.rdma().isPresent() ? "fabric" : "zone", e.getValue(), e.getKey()))
        .orElse(
            "no node and no offer is of such a shape; there are: %s"
                .formatted(horizon.shapes(scarce)));
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

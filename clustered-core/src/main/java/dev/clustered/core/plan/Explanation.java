// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ErrorCode;
import dev.clustered.model.Resources;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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

  /** Why neither the free nodes nor a launch suffice. */
  List<WaitReason> reasons(GangRequest gang) {
    List<WaitReason> reasons = new ArrayList<>();
    best(gang)
        .filter(best -> Math.max(best.count().free(), best.launchable()) < gang.nodes())
        .map(best -> notEnough(gang, best))
        .forEach(reasons::add);
    if (reasons.isEmpty()) {
      fragmented(gang).ifPresent(reasons::add);
    }
    supply
        .suiting(gang)
        .flatMap(offer -> supply.coolDown(offer).stream())
        .distinct()
        .map(c -> new WaitReason.CoolingDown(c.zone(), c.shape(), c.until(), c.failure()))
        .forEach(reasons::add);
    return reasons;
  }

  /** What a layout asks of one domain, when no domain has it although enough is free in a zone. */
  private Optional<WaitReason> fragmented(GangRequest gang) {
    Layout layout = gang.layout();
    int together = best(gang).mapToInt(best -> best.count().free()).findFirst().orElse(0);
    if (layout.equals(Layout.ANY) || together < gang.nodes()) {
      return Optional.empty();
    }
    int asked = layout.together(gang.nodes());
    String level = layout.level();
    Pool.Roomiest best = pool.roomiest(gang, level);
    return Optional.of(
        new WaitReason.Fragmented(
            asked, gang.nodes() / asked, level, best.name(), best.free(), together));
  }

  private static WaitReason notEnough(GangRequest gang, Candidate best) {
    return new WaitReason.NotEnoughNodes(
        gang.nodes(),
        best.domain().toString(),
        best.count().free(),
        best.count().busy(),
        best.launchable());
  }

  private Stream<Candidate> best(GangRequest gang) {
    Map<Domain, Pool.Count> counts = pool.counts(gang);
    Map<Site, Integer> launchable = new TreeMap<>();
    supply
        .suiting(gang)
        .filter(offer -> gang.layout().equals(Layout.ANY)) // Others are not launched for.
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
    return horizon.most(gang).entrySet().stream()
        .max(
            Map.Entry.<Site, Long>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
        .map(
            e ->
                "the most that could ever be in one %s is %d, in %s; ask for so many or fewer"
                    .formatted(
                        gang.rdma().isPresent() ? "fabric" : "zone", e.getValue(), e.getKey()))
        .orElse(
            "no node and no offer is of such a shape; there are: %s"
                .formatted(horizon.shapes(gang)));
  }

  private static String asked(GangRequest gang) {
    String each = gang.each().map(Resources::toString).map(r -> " with " + r).orElse("");
    String shape = gang.shape().map(s -> " of shape " + s).orElse("");
    String rdma =
        gang.rdma().map(r -> " on one fabric of %d Gb/s".formatted(r.minimumGigabits())).orElse("");
    String nodes = gang.nodes() == 1 ? "1 node" : gang.nodes() + " nodes";
    return "asked %s%s%s in one zone%s".formatted(nodes, shape, each, rdma);
  }
}

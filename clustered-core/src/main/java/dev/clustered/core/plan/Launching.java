// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Offer;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Which offers are taken for a gang: all its nodes in one zone, or nothing. Not thread-safe. */
final class Launching {

  /** Whole gangs first, then what may not be interrupted, then the lowest price in all. */
  private static final Comparator<Choice> BEST_FIRST =
      Comparator.comparing((Choice choice) -> !choice.whole())
          .thenComparing(Choice::interruptible)
          .thenComparing(Choice::hourlyPrice);

  private final Supply supply;
  private final Queue queue;
  private final Quotas quotas;

  /**
   * What one way of a gang would launch in a zone.
   *
   * @param whole whether that is enough for all its ranks, not only for the least
   */
  private record Choice(List<Launch> launches, boolean whole) {

    boolean interruptible() {
      return launches.stream().anyMatch(launch -> Supply.interruptible(launch.offer()));
    }

    BigDecimal hourlyPrice() {
      return launches.stream()
          .map(launch -> launch.offer().hourlyPrice().multiply(BigDecimal.valueOf(launch.nodes())))
          .reduce(BigDecimal.ZERO, BigDecimal::add);
    }
  }

  Launching(Supply supply, Queue queue, Quotas quotas) {
    this.quotas = quotas;
    this.supply = supply;
    this.queue = queue;
  }

  /**
   * Takes the offers for the best of a gang's ways that can be launched, one for each need; none
   * when none can be. Of equal ways the one wanted more is best, of equal zones the first by offer.
   */
  List<Launch> launch(GangRequest gang) {
    Optional<Choice> best = Optional.empty();
    for (GangRequest way : gang.ways()) {
      Optional<Choice> choice = choose(way);
      if (choice.isPresent()
          && (best.isEmpty() || BEST_FIRST.compare(choice.get(), best.get()) < 0)) {
        best = choice;
      }
    }
    List<Launch> launches = best.map(Choice::launches).orElse(List.of());
    launches.forEach(launch -> supply.take(launch.offer(), launch.nodes()));
    return launches;
  }

  private Optional<Choice> choose(GangRequest way) {
    List<GangRequest> parts = way.parts();
    boolean severalFabrics = parts.stream().filter(part -> part.rdma().isPresent()).count() > 1;
    if (!way.launchable() || severalFabrics) {
      return Optional.empty(); // A backend promises one zone, for one launch one fabric, no more.
    }
    return supply
        .suiting(parts.getFirst().need())
        .map(offer -> Site.of(offer).inZone())
        .distinct()
        .map(zone -> in(zone, way.id(), parts))
        .flatMap(Optional::stream)
        .filter(choice -> quotas.allow(way, choice.launches()))
        .min(BEST_FIRST);
  }

  private Optional<Choice> in(Site.Zone zone, ClusterId gang, List<GangRequest> parts) {
    List<Launch> launches = new ArrayList<>();
    boolean whole = true;
    int taken = 0;
    for (GangRequest part : parts) {
      int before = taken;
      Optional<Launch> all = first(zone, part, offer -> nodes(part, offer, part.nodes()), before);
      Optional<Launch> some =
          all.or(
              () ->
                  first(
                      zone,
                      part,
                      offer ->
                          Math.max(
                              nodes(part, offer, part.minimum()),
                              Math.min(left(offer, before), nodes(part, offer, part.nodes()))),
                      before));
      if (some.isEmpty()) {
        return Optional.empty();
      }
      whole &= all.isPresent();
      taken += some.get().nodes();
      launches.add(new Launch(gang, some.get().offer(), some.get().nodes(), part.rdma()));
    }
    return Optional.of(new Choice(launches, whole));
  }

  /** The first offer of a zone that has so many nodes left, after some were taken in the zone. */
  private Optional<Launch> first(
      Site.Zone zone, GangRequest part, Function<Offer, Integer> nodes, int taken) {
    return supply
        .suiting(part.need())
        .filter(offer -> Site.of(offer).inZone().equals(zone) && queue.open(offer))
        .filter(offer -> left(offer, taken) >= nodes.apply(offer))
        .findFirst()
        .map(offer -> new Launch(part.id(), offer, nodes.apply(offer), part.rdma()));
  }

  private int left(Offer offer, int taken) {
    int launchable = supply.launchable(offer);
    return launchable == Supply.UNKNOWN ? launchable : launchable - taken;
  }

  /** How many nodes of an offer hold so many ranks and the spares. */
  private static int nodes(GangRequest part, Offer offer, int ranks) {
    long nodes = (long) part.need().nodes(offer.shape(), ranks) + part.spares();
    return (int) Math.min(Supply.UNKNOWN - 1, nodes);
  }

  /** When the gang's nodes would be there if the first zone to cool down were asked again. */
  Optional<Instant> cooledDown(GangRequest gang) {
    if (!gang.launchable() || gang.parts().size() > 1) {
      return Optional.empty();
    }
    return supply
        .suiting(gang)
        .filter(queue::open)
        .flatMap(
            offer ->
                supply.expected(offer, gang.need().nodes(offer.shape(), gang.minimum())).stream())
        .min(Comparator.naturalOrder());
  }
}

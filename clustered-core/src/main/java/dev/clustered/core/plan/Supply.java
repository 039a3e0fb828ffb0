// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Offer;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The offers, and what this plan has left of them. Not thread-safe. */
final class Supply {

  /** What a backend says that does not know how much it has. */
  static final int UNKNOWN = Integer.MAX_VALUE;

  private static final Comparator<Offer> BEST_FIRST =
      Comparator.comparing((Offer offer) -> interruptible(offer))
          .thenComparing(Offer::hourlyPrice)
          .thenComparing(Offer::bootTime)
          .thenComparing(Site::of)
          .thenComparing(Offer::market)
          .thenComparingInt(Offer::available);

  private final List<Offer> offers;
  private final Set<Site> offered = new TreeSet<>();
  private final Map<Site, CoolDown> coolDowns = new TreeMap<>();
  private final Map<Site.Zone, Integer> launched = new TreeMap<>();

  Supply(List<Offer> offers, List<CoolDown> coolDowns, Instant now) {
    this.offers = offers.stream().sorted(BEST_FIRST).toList();
    offers.forEach(offer -> offered.add(Site.of(offer)));
    for (CoolDown coolDown : coolDowns) {
      if (coolDown.until().isAfter(now)) {
        Site site = new Site(coolDown.backend(), coolDown.zone(), coolDown.shape());
        this.coolDowns.merge(site, coolDown, Supply::longer);
      }
    }
  }

  /** Whether what it launches may be taken back. */
  static boolean interruptible(Offer offer) {
    return switch (offer.market()) {
      case SPOT -> true;
      case ON_DEMAND, RESERVED -> false;
    };
  }

  private static CoolDown longer(CoolDown one, CoolDown other) {
    int order = one.until().compareTo(other.until());
    if (order == 0) {
      order = other.failure().compareTo(one.failure());
    }
    return order >= 0 ? one : other;
  }

  /** Every offer whose shape suits a need of a gang, best first. */
  Stream<Offer> suiting(GangRequest gang) {
    List<Need> needs = gang.parts().stream().map(GangRequest::need).distinct().toList();
    return offers.stream().filter(offer -> needs.stream().anyMatch(need -> suits(offer, need)));
  }

  /** Every offer whose shape suits a need, best first. */
  Stream<Offer> suiting(Need need) {
    return offers.stream().filter(offer -> suits(offer, need));
  }

  private static boolean suits(Offer offer, Need need) {
    return need.attributes().isEmpty() && need.fits(offer.backend(), offer.shape());
  }

  /** The best offer of a site that would add so many nodes now. */
  Optional<Offer> best(Site site, int nodes) {
    return of(site).filter(offer -> launchable(offer) >= nodes).findFirst();
  }

  /** When nodes of an offer that cools down would be there, if they were launched at its end. */
  Optional<Instant> expected(Offer offer, int nodes) {
    return coolDown(offer)
        .filter(coolDown -> available(offer) >= nodes)
        .map(coolDown -> coolDown.until().plus(offer.bootTime()));
  }

  /** The offers of a site, best first. */
  Stream<Offer> of(Site site) {
    return offers.stream().filter(offer -> Site.of(offer).equals(site));
  }

  /** Whether nodes of a site could be launched again. */
  boolean offers(Site site) {
    return offered.contains(site);
  }

  Optional<CoolDown> coolDown(Offer offer) {
    return Optional.ofNullable(coolDowns.get(Site.of(offer)));
  }

  /** What the offer would add now: nothing while its site cools down. */
  int launchable(Offer offer) {
    return coolDown(offer).isPresent() ? 0 : available(offer);
  }

  /** What the offer has left; a zone is taken to have one limit for all its shapes. */
  int available(Offer offer) {
    if (offer.available() == UNKNOWN) {
      return UNKNOWN;
    }
    return Math.max(0, offer.available() - launched.getOrDefault(Site.of(offer).inZone(), 0));
  }

  void take(Offer offer, int nodes) {
    launched.merge(Site.of(offer).inZone(), nodes, Integer::sum);
  }
}

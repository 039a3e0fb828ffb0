// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the earlier gangs that wait could use, so that later ones leave it alone. Not thread-safe.
 */
final class Queue {

  private final List<ClusterId> waiting = new ArrayList<>();
  private final Map<Site, BitSet> bySite = new TreeMap<>();
  private final Map<Site.Zone, BitSet> byZone = new TreeMap<>();

  /** A gang waits, and could ever be held by these sites. */
  void waits(ClusterId gang, Set<Site> sites) {
    int place = waiting.size();
    waiting.add(gang);
    for (Site site : sites) {
      bySite.computeIfAbsent(site, s -> new BitSet()).set(place);
      byZone.computeIfAbsent(site.inZone(), z -> new BitSet()).set(place);
    }
  }

  /** Whether no earlier gang could use the nodes of a site. */
  boolean open(Site site) {
    return !bySite.containsKey(site);
  }

  /** Whether a launch takes nothing that an earlier gang could use. */
  boolean open(Offer offer) {
    return behind(offer).isEmpty();
  }

  private BitSet behind(Offer offer) {
    Site site = Site.of(offer);
    return offer.available() == Supply.UNKNOWN
        ? bySite.getOrDefault(site, new BitSet())
        : byZone.getOrDefault(site.inZone(), new BitSet());
  }

  /** The earlier gangs that keep a gang from some of its sites or offers. */
  Optional<WaitReason> behind(Set<Site> sites, List<Offer> offers) {
    BitSet ahead = new BitSet();
    sites.forEach(site -> ahead.or(bySite.getOrDefault(site, new BitSet())));
    offers.forEach(offer -> ahead.or(behind(offer)));
    return ahead.isEmpty()
        ? Optional.empty()
        : Optional.of(new WaitReason.Behind(ahead.cardinality(), waiting.get(ahead.nextSetBit(0))));
  }
}

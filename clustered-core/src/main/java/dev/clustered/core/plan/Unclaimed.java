// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * What nobody who waits could use, now or later: nodes of no site that could ever hold such a gang,
 * nor of a zone whose limit such a gang may come up against. Not thread-safe.
 */
final class Unclaimed {

  private final Supply supply;
  private final Set<NodeId> promised;
  private final Set<Site> sites = new TreeSet<>();
  private final Set<Site.Zone> zones = new TreeSet<>();
  private final Set<Site.Zone> limited = new TreeSet<>();
  private boolean anybody;

  /**
   * What those leave who wait once a plan has served them.
   *
   * @param decided what the plan has decided for them
   * @param promised nodes that they were promised
   */
  Unclaimed(
      Waiting waiting,
      Collection<Decision> decided,
      Horizon horizon,
      Supply supply,
      Set<NodeId> promised) {
    this.supply = supply;
    this.promised = promised;
    Set<ClusterId> served = new TreeSet<>();
    for (Decision decision : decided) {
      if (decision instanceof Place place) {
        served.add(place.gang());
      } else if (decision instanceof Refuse refuse) {
        served.add(refuse.gang());
      }
    }
    for (String queue : waiting.queues()) {
      for (Waiting.Group group : waiting.of(queue)) {
        group.gangs().stream()
            .map(Waiting.Arrival::gang)
            .filter(gang -> !served.contains(gang.id()))
            .findFirst()
            .ifPresent(gang -> horizon.sites(gang, group.like().kind()).forEach(this::claim));
        anybody |= group.gangs().stream().anyMatch(g -> !served.contains(g.gang().id()));
      }
    }
  }

  private void claim(Site site) {
    if (sites.add(site)) {
      zones.add(site.inZone());
      if (supply.of(site).anyMatch(offer -> offer.available() != Supply.UNKNOWN)) {
        limited.add(site.inZone());
      }
    }
  }

  /** Whether anybody waits. */
  boolean anybodyWaits() {
    return anybody;
  }

  /** Whether a node is needed by nobody who waits. */
  boolean leaves(NodeView node) {
    Site site = node.site();
    return !sites.contains(site)
        && !limited.contains(site.inZone())
        && !promised.contains(node.id());
  }

  /** Whether what an offer has is needed by nobody who waits. */
  boolean leaves(Offer offer) {
    Site site = Site.of(offer);
    return offer.available() == Supply.UNKNOWN
        ? !sites.contains(site)
        : !zones.contains(site.inZone());
  }
}

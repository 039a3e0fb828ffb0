// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where the earlier gangs that wait could be, so that later ones launch nothing in their place. Not
 * thread-safe.
 */
final class Queue {

  private final Map<Set<Site>, Group> groups = new LinkedHashMap<>();
  private final Set<Site> claimed = new TreeSet<>();
  private final Set<Site.Zone> claimedZones = new TreeSet<>();
  private final Set<Site> closed = new TreeSet<>();

  /** Gangs that could be held by the same sites. */
  private static final class Group {
    final ClusterId first;
    int size = 1;

    Group(ClusterId first) {
      this.first = first;
    }
  }

  /** A gang waits, and could ever be held by these sites. */
  void waits(ClusterId gang, Set<Site> sites) {
    Group known = groups.get(sites);
    if (known != null) {
      known.size++;
      return;
    }
    groups.put(sites, new Group(gang));
    claimed.addAll(sites);
    sites.forEach(site -> claimedZones.add(site.inZone()));
  }

  /** A gang waits that only a launch can serve, in place of what these sites hold now. */
  void needsAll(Set<Site> sites) {
    closed.addAll(sites);
  }

  /** Whether no earlier gang needs all that there is of a site. */
  boolean open(Site site) {
    return !closed.contains(site);
  }

  /** Whether a launch takes nothing that an earlier gang could use. */
  boolean open(Offer offer) {
    return offer.available() == Supply.UNKNOWN
        ? !claimed.contains(Site.of(offer))
        : !claimedZones.contains(Site.of(offer).inZone());
  }

  private static boolean meets(Set<Site> group, Set<Site> sites, List<Offer> offers) {
    return group.stream().anyMatch(sites::contains)
        || offers.stream().anyMatch(offer -> bars(group, offer));
  }

  private static boolean bars(Set<Site> group, Offer offer) {
    Site site = Site.of(offer);
    return offer.available() == Supply.UNKNOWN
        ? group.contains(site)
        : group.stream().anyMatch(other -> other.inZone().equals(site.inZone()));
  }

  /** The earlier gangs that keep a gang from some of its sites or offers. */
  Optional<WaitReason> behind(Set<Site> sites, List<Offer> offers) {
    int ahead = 0;
    Optional<ClusterId> head = Optional.empty();
    for (Map.Entry<Set<Site>, Group> group : groups.entrySet()) {
      if (meets(group.getKey(), sites, offers)) {
        ahead += group.getValue().size;
        head = head.or(() -> Optional.of(group.getValue().first));
      }
    }
    int count = ahead;
    return head.map(first -> new WaitReason.Behind(count, first));
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Offer;
import dev.clustered.model.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How many nodes each site could have at most, when all that is held has ended: what tells "not
 * now" from "never". Not thread-safe.
 */
final class Horizon {

  private final Census census;
  private final Map<Site, Facts> sites = new TreeMap<>();
  private final Map<Site.Zone, Integer> launching = new TreeMap<>();
  private final Map<Need, Map<Site, Long>> known = new LinkedHashMap<>();

  /** What is known of one site. */
  private static final class Facts {
    final Shape shape;
    int offered = -1;
    int largestLaunch;
    int nodes;
    int largestFabric;

    Facts(Shape shape) {
      this.shape = shape;
    }

    /** Without an offer only what exists can ever hold a gang. */
    int existing(Need need) {
      return Math.max(need.rdma().isEmpty() ? nodes : largestFabric, largestLaunch);
    }
  }

  Horizon(Census census, List<LaunchView> launches, List<Offer> offers) {
    this.census = census;
    census
        .sites()
        .forEach(
            (site, there) -> {
              Facts facts = facts(site, there.shape);
              facts.nodes = there.usable;
              facts.largestFabric =
                  there.usableByFabric.values().stream().mapToInt(count -> count).max().orElse(0);
            });
    for (LaunchView launch : launches) {
      launching.merge(launch.site().inZone(), launch.nodes(), Integer::sum);
      Facts facts = facts(launch.site(), launch.offer().shape());
      facts.largestLaunch = Math.max(facts.largestLaunch, launch.nodes());
    }
    for (Offer offer : offers) {
      Facts facts = facts(Site.of(offer), offer.shape());
      facts.offered = Math.max(facts.offered, offer.available());
    }
  }

  private Facts facts(Site site, Shape shape) {
    return sites.computeIfAbsent(site, s -> new Facts(shape));
  }

  Set<String> backends() {
    Set<String> backends = new TreeSet<>();
    sites.keySet().forEach(site -> backends.add(site.backend()));
    return backends;
  }

  /** The shapes that a gang's backend has, with what a node of each has. */
  List<String> shapes(GangRequest gang) {
    Set<String> shapes = new TreeSet<>();
    sites.forEach(
        (site, facts) -> {
          if (gang.backend().map(site.backend()::equals).orElse(true)) {
            shapes.add(site.shape() + " (" + facts.shape.resources() + ")");
          }
        });
    return List.copyOf(shapes);
  }

  /** The highest RDMA rate of a shape that suits the gang otherwise; negative when none does. */
  int bestRate(GangRequest gang) {
    int best = -1;
    for (Map.Entry<Site, Facts> entry : sites.entrySet()) {
      Shape shape = entry.getValue().shape;
      if (gang.need().fitsWithoutRdma(entry.getKey().backend(), shape)) {
        best = Math.max(best, shape.rdmaGigabits());
      }
    }
    return best;
  }

  /** The most nodes that could ever be there for a gang, by site whose shape suits it. */
  Map<Site, Long> most(GangRequest gang) {
    return known.computeIfAbsent(gang.need(), this::most);
  }

  private Map<Site, Long> most(Need need) {
    Map<Site, Long> most = new TreeMap<>();
    sites.forEach(
        (site, facts) -> {
          if (need.fits(site.backend(), facts.shape)) {
            most.put(site, most(need, site, facts));
          }
        });
    return most;
  }

  /** Every node held in a zone may become room for the shape, since shapes may share a limit. */
  private long most(Need need, Site site, Facts facts) {
    if (facts.offered < 0) {
      return facts.existing(need);
    }
    Site.Zone zone = site.inZone();
    return (long) facts.offered + census.held(zone) + launching.getOrDefault(zone, 0);
  }
}

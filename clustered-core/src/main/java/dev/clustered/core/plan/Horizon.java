// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Offer;
import dev.clustered.model.Shape;
import java.util.Collections;
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
  private final Map<Kind, Set<Site>> sitesOfKind = new LinkedHashMap<>();

  /** What is known of one site. */
  private static final class Facts {
    final Shape shape;
    int offered = -1;
    int largestLaunch;
    int nodes;
    int largestFabric;
    int tainted;

    Facts(Shape shape) {
      this.shape = shape;
    }
  }

  Horizon(Census census, List<LaunchView> launches, List<Offer> offers) {
    this.census = census;
    census
        .sites()
        .forEach(
            (site, there) -> {
              Facts facts = facts(site, there.shape);
              facts.nodes = there.staying;
              facts.tainted = there.tainted;
              facts.largestFabric =
                  there.stayingByFabric.values().stream().mapToInt(count -> count).max().orElse(0);
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

  /** Where a gang could be, now or when everything that is held has ended. */
  Set<Site> sites(GangRequest gang, Kind kind) {
    return sitesOfKind.computeIfAbsent(
        kind,
        k -> {
          Set<Site> sites = new TreeSet<>();
          gang.ways().forEach(way -> addSites(way, sites));
          return Collections.unmodifiableSet(sites);
        });
  }

  private void addSites(GangRequest way, Set<Site> sites) {
    Map<Site.Zone, Integer> held = new TreeMap<>();
    Set<Site> some = new TreeSet<>();
    List<GangRequest> parts = way.parts();
    for (GangRequest part : parts) {
      Set<Site> ofPart = new TreeSet<>();
      most(part).forEach((site, most) -> addIfEnough(site, most, part, ofPart));
      ofPart.stream().map(Site::inZone).distinct().forEach(z -> held.merge(z, 1, Integer::sum));
      some.addAll(ofPart);
    }
    some.stream().filter(s -> held.getOrDefault(s.inZone(), 0) == parts.size()).forEach(sites::add);
  }

  private static void addIfEnough(Site site, long most, GangRequest part, Set<Site> sites) {
    if (most >= part.least()) {
      sites.add(site);
    }
  }

  /** The most ranks that could ever be there for a gang's first need, by site whose shape suits. */
  Map<Site, Long> most(GangRequest gang) {
    return known.computeIfAbsent(gang.need(), this::most);
  }

  private Map<Site, Long> most(Need need) {
    boolean particular =
        !need.attributes().isEmpty() || sites.values().stream().anyMatch(f -> f.tainted > 0);
    Map<Site, Integer> existing = particular ? admitting(need) : new TreeMap<>();
    Map<Site, Long> most = new TreeMap<>();
    sites.forEach(
        (site, facts) -> {
          if (need.fits(site.backend(), facts.shape)) {
            int there = need.rdma().isEmpty() ? facts.nodes : facts.largestFabric;
            int now = particular ? existing.getOrDefault(site, 0) : there;
            most.put(site, most(need, site, facts, now) * need.ranks(facts.shape));
          }
        });
    return most;
  }

  /** How many nodes there are that admit a need, with RDMA in the largest fabric. */
  private Map<Site, Integer> admitting(Need need) {
    Map<Site, Integer> most = new TreeMap<>();
    census
        .staying(need, need.rdma().isPresent())
        .forEach((domain, nodes) -> most.merge(domain.site(), nodes, Math::max));
    return most;
  }

  /**
   * In nodes. Without an offer only what exists can ever hold a gang; no launch promises what a
   * node says of itself. With one, every node held in a zone may become room for the shape, since
   * shapes may share a limit; an offer of none where nothing is held is no limit, since its zone is
   * out of stock, for now.
   */
  private long most(Need need, Site site, Facts facts, int existing) {
    if (!need.attributes().isEmpty()) {
      return existing;
    }
    if (facts.offered < 0) {
      return Math.max(existing, facts.largestLaunch);
    }
    Site.Zone zone = site.inZone();
    long inUse = (long) census.held(zone) + launching.getOrDefault(zone, 0);
    return facts.offered + inUse == 0 ? Supply.UNKNOWN : facts.offered + inUse;
  }
}

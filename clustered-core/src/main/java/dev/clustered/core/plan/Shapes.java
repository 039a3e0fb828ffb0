// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ByteSize;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What gangs take of nodes of the shapes that there are. Not thread-safe. */
final class Shapes {

  private final Census census;
  private final Map<Site, Shape> sites = new TreeMap<>();
  private final Map<Need, Resources> least = new LinkedHashMap<>();
  private final Map<Kind, Asked> asked = new LinkedHashMap<>();

  /** What gangs of one kind ask for, counted once for all of them. */
  private static final class Asked {
    final Total least;
    final Map<Site, Total> at = new TreeMap<>();

    Asked(Total least) {
      this.least = least;
    }
  }

  Shapes(Census census, List<Offer> offers) {
    this.census = census;
    census.sites().forEach((site, there) -> sites.put(site, there.shape));
    offers.forEach(offer -> sites.putIfAbsent(Site.of(offer), offer.shape()));
  }

  private Asked asked(GangRequest gang, Kind kind) {
    Asked known = asked.get(kind);
    if (known == null) {
      known = new Asked(least(gang));
      asked.put(kind, known);
    }
    return known;
  }

  /**
   * What a gang of a kind takes at least: all its roles at their smallest, of each amount as little
   * as any shape that suits has of it. GPUs that may be of several models are none at least of
   * each.
   */
  Total least(GangRequest gang, Kind kind) {
    return asked(gang, kind).least;
  }

  private Total least(GangRequest gang) {
    List<Total.Part> parts = new ArrayList<>();
    for (Role role : gang.roles()) {
      parts.add(new Total.Part(least(role.need()), role.minimum()));
    }
    if (gang.spares() > 0) {
      parts.add(new Total.Part(least(gang.need()), gang.spares()));
    }
    return new Total(parts);
  }

  private Resources least(Need need) {
    return least.computeIfAbsent(
        need,
        n ->
            sites.entrySet().stream()
                .filter(known -> n.fits(known.getKey().backend(), known.getValue()))
                .map(known -> Total.takes(n, known.getValue()))
                .distinct()
                .reduce(Shapes::least)
                .or(n::each)
                .orElse(Resources.NONE));
  }

  private static Resources least(Resources one, Resources other) {
    boolean same = one.gpuModel().equals(other.gpuModel());
    return new Resources(
        same ? Math.min(one.gpus(), other.gpus()) : 0,
        same ? one.gpuModel() : "",
        Math.min(one.cpus(), other.cpus()),
        new ByteSize(Math.min(one.memory().bytes(), other.memory().bytes())));
  }

  /**
   * What a gang of a kind takes at its smallest in a site; nothing of one that is not known. Roles
   * that need another shape take what they take at least.
   */
  Total at(GangRequest gang, Kind kind, Site site) {
    Map<Site, Total> at = asked(gang, kind).at;
    Total known = at.get(site);
    if (known == null) {
      known = at(gang.atMinimum(), site);
      at.put(site, known);
    }
    return known;
  }

  private Total at(GangRequest gang, Site site) {
    Shape shape = sites.get(site);
    if (shape == null) {
      return Total.NONE;
    }
    List<Total.Part> parts = new ArrayList<>();
    for (Role role : gang.roles()) {
      boolean fits = role.need().fits(site.backend(), shape);
      Resources each = fits ? Total.takes(role.need(), shape) : least(role.need());
      parts.add(new Total.Part(each, role.nodes()));
    }
    parts.add(new Total.Part(parts.getFirst().each(), gang.spares()));
    return new Total(parts);
  }

  /** What a gang has, without the ranks that it gives up already. */
  Total of(RunningGang gang) {
    List<Total.Part> parts = new ArrayList<>();
    for (Member member : gang.members()) {
      if (!member.leaving()) {
        parts.add(part(member.at()));
      }
    }
    gang.spares().forEach(spare -> parts.add(part(spare)));
    return new Total(parts);
  }

  private Total.Part part(Holding holding) {
    Resources takes =
        shape(holding.node()).map(s -> Total.ofModel(holding.takes(), s)).orElse(holding.takes());
    return new Total.Part(takes, 1);
  }

  private Optional<Shape> shape(NodeId node) {
    return census.node(node).map(NodeView::shape);
  }

  /** What a gang was promised, as far as it is still there. */
  Total of(GangRequest gang, Claim claim) {
    int ranks = Math.max(0, claim.nodes().size() - gang.spares());
    return of(sized(gang, ranks), claim.nodes());
  }

  /** What these roles take of a node for each rank, in rank order, and of the rest as spares. */
  Total of(List<Role> roles, List<NodeId> nodes) {
    List<Total.Part> parts = new ArrayList<>();
    int rank = 0;
    for (Role role : roles) {
      int end = Math.min(nodes.size(), rank + role.nodes());
      add(parts, role.need(), nodes.subList(rank, end));
      rank = end;
    }
    add(parts, roles.getFirst().need(), nodes.subList(rank, nodes.size()));
    return new Total(parts);
  }

  private void add(List<Total.Part> parts, Need need, List<NodeId> nodes) {
    for (NodeId node : nodes) {
      shape(node).ifPresent(s -> parts.add(new Total.Part(Total.takes(need, s), 1)));
    }
  }

  /** Its roles when it has so many ranks: each its minimum, then as many more as there are. */
  private static List<Role> sized(GangRequest gang, int ranks) {
    int more = Math.max(0, ranks - gang.minimum());
    List<Role> sized = new ArrayList<>();
    for (Role role : gang.roles()) {
      int size = role.minimum() + Math.min(more, role.nodes() - role.minimum());
      more -= size - role.minimum();
      sized.add(new Role(role.name(), size, role.need()));
    }
    return sized;
  }

  /** What a gang will take of the nodes that are launched for it, so many of each shape. */
  static Total of(GangRequest gang, Map<Shape, Integer> launched) {
    List<Total.Part> parts = new ArrayList<>();
    Map<Shape, Integer> nodes = new LinkedHashMap<>(launched);
    for (Role role : gang.roles()) {
      int ranks = role.nodes();
      for (Map.Entry<Shape, Integer> left : nodes.entrySet()) {
        Need need = role.need();
        if (need.fits(need.backend().orElse(""), left.getKey())) {
          int each = need.perNode();
          int taken = Math.min(left.getValue(), (ranks + each - 1) / each);
          int placed = (int) Math.min(ranks, (long) taken * each);
          parts.add(new Total.Part(Total.takes(need, left.getKey()), placed));
          left.setValue(left.getValue() - taken);
          ranks -= placed;
        }
      }
    }
    nodes.forEach((shape, spare) -> parts.add(spares(gang, shape, spare)));
    return new Total(parts);
  }

  /** What a gang that runs will take as spares of the nodes that are launched for it. */
  static Total spares(RunningGang gang, Map<Shape, Integer> launched) {
    List<Total.Part> parts = new ArrayList<>();
    int lacking = gang.lackingSpares();
    for (Map.Entry<Shape, Integer> nodes : launched.entrySet()) {
      int spares = Math.min(lacking, nodes.getValue());
      parts.add(new Total.Part(Total.takes(gang.request().need(), nodes.getKey()), spares));
      lacking -= spares;
    }
    return new Total(parts);
  }

  private static Total.Part spares(GangRequest gang, Shape shape, int nodes) {
    return new Total.Part(Total.takes(gang.need(), shape), Math.min(nodes, gang.spares()));
  }
}

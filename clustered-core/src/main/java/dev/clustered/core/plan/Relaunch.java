// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** New nodes for what a running gang has lost, where a launch keeps what its layout asks. */
final class Relaunch {

  private final Supply supply;
  private final Launches launches;

  Relaunch(Supply supply, Launches launches) {
    this.supply = supply;
    this.launches = launches;
  }

  /**
   * How many nodes are to be launched where: what is lacking, less what is under way.
   *
   * @param boots how many spares of the gang that are of a shape boot
   * @return empty when a launch is no help
   */
  Optional<Map<Site, Integer>> missing(
      RunningGang gang, List<Loss> lacking, Bounds bounds, ToIntFunction<String> boots) {
    Map<Site, Map<Role, Integer>> ranks = new TreeMap<>();
    for (Loss loss : lacking) {
      Optional<Site> site = site(gang, loss, bounds);
      if (site.isEmpty()) {
        return Optional.empty();
      }
      ranks
          .computeIfAbsent(site.get(), s -> new TreeMap<>(Comparator.comparing(Role::name)))
          .merge(loss.role(), 1, Integer::sum);
    }
    Map<Site, Integer> missing = new TreeMap<>();
    for (Map.Entry<Site, Map<Role, Integer>> entry : ranks.entrySet()) {
      Site site = entry.getKey();
      Optional<Shape> shape = supply.of(site).map(Offer::shape).findFirst();
      int nodes = -launches.coming(gang.id(), site.shape()) - boots.applyAsInt(site.shape());
      for (Map.Entry<Role, Integer> role : entry.getValue().entrySet()) {
        int each = shape.map(s -> perNode(role.getKey().need(), s)).orElse(1);
        nodes += Math.ceilDiv(role.getValue(), each);
      }
      if (nodes > 0) {
        missing.put(site, nodes);
      }
    }
    return Optional.of(missing);
  }

  /** Where a node must be launched for a loss; empty when a launch is no help. */
  static Optional<Site> site(RunningGang gang, Loss loss, Bounds bounds) {
    Layout whole = gang.request().layout();
    if (loss.need().rdma().isPresent()
        || !Launches.promises(whole, loss.need())
        || !Launches.promises(loss.role().layout(), loss.need())) {
      return Optional.empty();
    }
    return bounds
        .scope(loss)
        .flatMap(scope -> scope.around(TopologyPath.ZONE))
        .flatMap(zone -> loss.shape().map(shape -> new Site(backend(zone), zone.value(), shape)));
  }

  private static String backend(Place place) {
    Place outer = place;
    for (Place around = outer.around(); around != null; around = outer.around()) {
      outer = around;
    }
    return outer.value();
  }

  /** How many ranks an empty node of a shape takes. */
  private static int perNode(Need need, Shape shape) {
    if (need.wholeNodes()) {
      return 1;
    }
    Resources left = shape.resources();
    Resources each = need.takes(shape);
    int ranks = 0;
    while (ranks < need.perNode() && left.holds(each)) {
      left = left.minus(each);
      ranks++;
    }
    return Math.max(1, ranks);
  }

  /** Launches all of it; none when not all of it can be launched now. */
  List<Decision> launch(RunningGang gang, Map<Site, Integer> missing) {
    List<Launch> decided = new ArrayList<>();
    for (Map.Entry<Site, Integer> entry : missing.entrySet()) {
      Optional<Offer> offer = supply.best(entry.getKey(), entry.getValue());
      if (offer.isEmpty()) {
        return List.of();
      }
      decided.add(new Launch(gang.id(), offer.get(), entry.getValue(), Optional.empty()));
    }
    decided.forEach(launch -> supply.take(launch.offer(), launch.nodes()));
    return List.copyOf(decided);
  }

  /** When all of it would be there if it were launched as soon as every zone has cooled down. */
  Optional<Instant> expected(Map<Site, Integer> missing) {
    Optional<Instant> last = Optional.empty();
    for (Map.Entry<Site, Integer> entry : missing.entrySet()) {
      Site site = entry.getKey();
      int nodes = entry.getValue();
      if (supply.best(site, nodes).isPresent()) {
        continue;
      }
      Optional<Instant> there =
          supply
              .of(site)
              .flatMap(offer -> supply.expected(offer, nodes).stream())
              .min(Comparator.naturalOrder());
      if (there.isEmpty()) {
        return Optional.empty();
      }
      last = last.filter(there.get()::isBefore).or(() -> there);
    }
    return last;
  }

  /** What cools down of where nodes are to be launched. */
  List<WaitReason> coolingDown(Map<Site, Integer> missing) {
    List<WaitReason> reasons = new ArrayList<>();
    for (Site site : missing.keySet()) {
      supply
          .of(site)
          .flatMap(offer -> supply.coolDown(offer).stream())
          .distinct()
          .map(c -> new WaitReason.CoolingDown(c.zone(), c.shape(), c.until(), c.failure()))
          .forEach(reasons::add);
    }
    return reasons;
  }
}

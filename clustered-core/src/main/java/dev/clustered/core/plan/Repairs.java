// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Replace;
import dev.clustered.core.plan.Decision.Requeue;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Gives running gangs other nodes for those that they lost, before any gang that waits gets one.
 * Not thread-safe.
 */
final class Repairs {

  private final Pool pool;
  private final Launches launches;
  private final Relaunch relaunch;
  private final Losses losses;
  private final Ends ends;
  private final Set<NodeId> promised;
  private final Set<ClusterId> mended = new TreeSet<>();
  private final Set<ClusterId> ended = new TreeSet<>();

  /**
   * Repairs of the gangs that have lost a node.
   *
   * @param promised what waiting gangs were promised: taken last
   */
  Repairs(
      Snapshot snapshot,
      Pool pool,
      Supply supply,
      Launches launches,
      Losses losses,
      Set<NodeId> promised) {
    this.pool = pool;
    this.launches = launches;
    this.relaunch = new Relaunch(supply, launches);
    this.losses = losses;
    this.ends = new Ends(snapshot, losses);
    this.promised = promised;
  }

  /** What is done for each gang that has lost a node, the higher priority first. */
  List<Decision> all() {
    List<Decision> decisions = new ArrayList<>();
    losses.broken().forEach(gang -> decisions.addAll(repair(gang)));
    for (Decision decision : decisions) {
      switch (decision) {
        case Replace replace -> mended.add(replace.gang());
        case Decision.Resize resize -> mended.add(resize.gang());
        case Requeue requeue -> ended.add(requeue.gang());
        default -> {}
      }
    }
    return decisions;
  }

  /** Who goes on with other nodes or fewer ranks, and is nobody's victim therefore. */
  Set<ClusterId> mended() {
    return mended;
  }

  /** Who is ended. */
  Set<ClusterId> ended() {
    return ended;
  }

  private List<Decision> repair(RunningGang gang) {
    Bounds bounds = new Bounds(gang, losses, pool::slot);
    Replacements replacements = new Replacements(gang, bounds, pool, launches, losses, promised);
    List<Loss> lacking = replacements.find(bounds.lost());
    if (lacking.isEmpty()) {
      replacements.find(bounds.lostSpares()); // Those for which there is no node are left.
      return replace(gang, replacements);
    }
    List<WaitReason> reasons = reasons(lacking, bounds, replacements);
    List<Decision> waits = moreNodes(gang, lacking, bounds, replacements, reasons);
    if (!waits.isEmpty()) {
      return waits; // What was found so far stays taken, so that nobody else gets it meanwhile.
    }
    replacements.takeBack();
    List<Decision> smaller = resize(gang, lacking, bounds, replacements);
    if (smaller.isEmpty()) {
      replacements.takeBack();
      return List.of(new Requeue(gang.id(), reasons));
    }
    return smaller;
  }

  private static List<Decision> replace(RunningGang gang, Replacements replacements) {
    return replacements.all().isEmpty()
        ? List.of()
        : List.of(new Replace(gang.id(), replacements.all()));
  }

  /** One reason for each domain in which something is lacking. */
  private static List<WaitReason> reasons(
      List<Loss> lacking, Bounds bounds, Replacements replacements) {
    Map<String, List<Loss>> byDomain = new LinkedHashMap<>();
    for (Loss loss : lacking) {
      String domain = bounds.scope(loss).map(Place::toString).orElse("no place that is known");
      byDomain.computeIfAbsent(domain, d -> new ArrayList<>()).add(loss);
    }
    List<WaitReason> reasons = new ArrayList<>();
    byDomain.forEach(
        (domain, there) -> {
          Loss first = there.getFirst();
          int free = replacements.freeFor(first);
          reasons.add(
              new WaitReason.NodeLost(first.rank(), first.node(), domain, free, there.size()));
        });
    return reasons;
  }

  /** Launches what is lacking, or waits for spares that boot, a launch, a cool-down or ends. */
  private List<Decision> moreNodes(
      RunningGang gang,
      List<Loss> lacking,
      Bounds bounds,
      Replacements replacements,
      List<WaitReason> reasons) {
    if (replacements.booting(lacking) >= lacking.size()) {
      return List.of(new Wait(gang.id(), reasons, Optional.empty()));
    }
    Optional<Map<Site, Integer>> missing =
        relaunch.missing(gang, lacking, bounds, shape -> replacements.booting(lacking, shape));
    if (missing.filter(Map::isEmpty).isPresent()) {
      return List.of(launches.wait(gang.id()));
    }
    List<Decision> launched = missing.map(m -> relaunch.launch(gang, m)).orElse(List.of());
    if (!launched.isEmpty()) {
      return launched;
    }
    Optional<Instant> cooled = missing.flatMap(relaunch::expected);
    Optional<Instant> expected =
        Stream.concat(ends.all(lacking, bounds).stream(), cooled.stream())
            .min(Comparator.naturalOrder());
    if (expected.isEmpty()) {
      return List.of();
    }
    List<WaitReason> all = new ArrayList<>(reasons);
    missing.map(relaunch::coolingDown).ifPresent(all::addAll);
    return List.of(new Wait(gang.id(), all, expected.filter(Ends::known)));
  }

  /** Goes on without the ranks that lack a node, and without those that must lie with them. */
  private static List<Decision> resize(
      RunningGang gang, List<Loss> lacking, Bounds bounds, Replacements replacements) {
    Optional<List<Integer>> rest = Smaller.without(gang, lacking, bounds);
    if (rest.isEmpty()) {
      return List.of();
    }
    List<Loss> stay =
        bounds.lost().stream().filter(loss -> rest.get().contains(loss.rank())).toList();
    if (!replacements.find(stay).isEmpty()) {
      return List.of();
    }
    List<Decision> decisions = new ArrayList<>(replace(gang, replacements));
    decisions.add(new Decision.Resize(gang.id(), rest.get()));
    return decisions;
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.PlanPolicy.Migration;
import dev.clustered.model.Change;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.StartChange;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The changes that an operator can make, each tried. */
final class OperatorChanges {

  /** Of how many gangs it is tried whether their end would do. */
  private static final int MOST_ENDS = 32;

  /** How many nodes more are thought of at most. */
  private static final int MOST_NODES = 1_024;

  private static final int MOST_OFFERS = 4;

  /** More than anybody's work costs. */
  private static final Duration ANY_COST = Duration.ofDays(36_500);

  private static final Comparator<NodeView> BY_PLACE =
      Comparator.comparing((NodeView node) -> node.topology().toString())
          .thenComparing(NodeView::id);

  private final Snapshot snapshot;
  private final GangRequest gang;
  private final Trials trials;

  OperatorChanges(Snapshot snapshot, GangRequest gang, Trials trials) {
    this.snapshot = snapshot;
    this.gang = gang;
    this.trials = trials;
  }

  /** All of them, the cheapest first; none is tried before it is asked for. */
  List<Supplier<Optional<StartChange>>> all() {
    return List.of(
        () -> nodesReady(NodeHealth.CORDONED),
        () -> nodesReady(NodeHealth.CORDONED, NodeHealth.FAULTY, NodeHealth.LOST),
        () -> new MoreQuota(snapshot, gang, trials).find(),
        this::moreOffered,
        () -> new MoreNodes(snapshot, gang, trials).find(most(MOST_NODES)),
        this::moves,
        this::preemptible,
        this::gangEnds);
  }

  /** As many nodes as all that wait could need. */
  private int most(int limit) {
    long all =
        snapshot.waiting().stream().mapToLong(one -> (long) one.nodes() + one.spares()).sum();
    return (int) Math.min(limit, all);
  }

  // ---- nodes that are there

  private Optional<StartChange> nodesReady(NodeHealth... health) {
    Set<NodeHealth> out = new TreeSet<>(List.of(health));
    Set<NodeId> candidates = new TreeSet<>();
    snapshot.nodes().stream()
        .filter(node -> out.contains(node.health()))
        .forEach(node -> candidates.add(node.id()));
    if (candidates.isEmpty()) {
      return Optional.empty();
    }
    Set<NodeId> given = new TreeSet<>();
    for (Decision decision : trials.decisions(ready(candidates))) {
      if (decision instanceof Decision.Place place) {
        Stream.concat(place.assignments().stream(), place.spares().stream())
            .map(Decision.Assignment::node)
            .filter(candidates::contains)
            .forEach(given::add);
      }
    }
    List<NodeView> sorted =
        snapshot.nodes().stream()
            .filter(node -> given.contains(node.id()))
            .sorted(BY_PLACE)
            .toList();
    return trials
        .least(
            1,
            sorted.size(),
            n -> new Change.NodesReady(domain(sorted.subList(0, n)), ids(sorted.subList(0, n)), 0),
            n -> Optional.of(ready(new TreeSet<>(ids(sorted.subList(0, n))))))
        .map(
            found ->
                found.change() instanceof Change.NodesReady again
                    ? goingFirst(found, again)
                    : found);
  }

  private StartChange goingFirst(StartChange found, Change.NodesReady again) {
    Set<NodeId> nodes = new TreeSet<>(again.nodes());
    int others = trials.notFor(ready(nodes), nodes::contains, nodes.size());
    return new StartChange(
        new Change.NodesReady(again.domain(), again.nodes(), others), found.start());
  }

  private Snapshot ready(Set<NodeId> again) {
    return snapshot.withNodes(
        snapshot.nodes().stream()
            .map(node -> again.contains(node.id()) ? node.in(NodeHealth.READY) : node)
            .toList());
  }

  private static List<NodeId> ids(List<NodeView> nodes) {
    return nodes.stream().map(NodeView::id).toList();
  }

  /** The innermost place that all lie in, but no host. */
  private static String domain(List<NodeView> nodes) {
    List<TopologyPath.Level> first = nodes.getFirst().topology().levels();
    int shared = first.size() - 1;
    for (NodeView node : nodes) {
      shared = Math.min(shared, first.isEmpty() ? 0 : shared(first, node.topology().levels()));
    }
    return new TopologyPath(first.subList(0, Math.max(0, shared))).toString();
  }

  private static int shared(List<TopologyPath.Level> one, List<TopologyPath.Level> other) {
    int shared = 0;
    while (shared < Math.min(one.size(), other.size())
        && one.get(shared).equals(other.get(shared))) {
      shared++;
    }
    return shared;
  }

  // ---- more of an offer

  private Optional<StartChange> moreOffered() {
    int most = most(Integer.MAX_VALUE);
    List<Offer> suiting =
        new Supply(snapshot.offers(), snapshot.coolDowns(), snapshot.now())
            .suiting(gang)
            .filter(offer -> offer.available() < Supply.UNKNOWN - most)
            .limit(MOST_OFFERS)
            .toList();
    for (Offer offer : suiting) {
      Optional<StartChange> found =
          trials.least(1, most, n -> more(offer, n, 0), n -> Optional.of(offering(offer, n)));
      if (found.isPresent() && found.get().change() instanceof Change.MoreOffered more) {
        int others = Math.max(0, more.nodes() - launched(offer, more.nodes()));
        return Optional.of(new StartChange(more(offer, more.nodes(), others), found.get().start()));
      }
    }
    return Optional.empty();
  }

  private static Change more(Offer offer, int nodes, int forOthers) {
    return new Change.MoreOffered(
        offer.backend(), offer.zone(), offer.shape().name(), nodes, forOthers);
  }

  /** How many nodes of the offer would be launched for the gang with so many more. */
  private int launched(Offer offer, int more) {
    int own = 0;
    for (Decision decision : trials.decisions(offering(offer, more))) {
      boolean ofSite =
          decision instanceof Decision.Launch launch
              && Site.of(launch.offer()).equals(Site.of(offer));
      own += ofSite ? ((Decision.Launch) decision).nodes() : 0;
    }
    return own;
  }

  private Snapshot offering(Offer offer, int more) {
    List<Offer> offers = new ArrayList<>(snapshot.offers());
    offers.replaceAll(
        o ->
            o.equals(offer)
                ? new Offer(
                    o.backend(),
                    o.shape(),
                    o.zone(),
                    o.market(),
                    o.hourlyPrice(),
                    o.bootTime(),
                    o.available() + more)
                : o);
    return snapshot.withOffers(offers);
  }

  // ---- others make room

  private Optional<StartChange> moves() {
    for (Decision decision : trials.decisions(moving(ANY_COST))) {
      if (decision instanceof Decision.Migrate migrate) {
        return trials.with(new Change.Moves(migrate.cost()), moving(migrate.cost()));
      }
    }
    return Optional.empty();
  }

  private Snapshot moving(Duration cost) {
    return snapshot.withPolicy(
        snapshot
            .policy()
            .withMigration(new Migration(true, cost, Duration.ZERO, Optional.empty())));
  }

  private Optional<StartChange> preemptible() {
    if (!snapshot.policy().preemption().enabled()) {
      return Optional.empty();
    }
    Set<ClusterId> spared = new TreeSet<>();
    snapshot.running().stream()
        .filter(other -> !other.request().terms().preemptible())
        .forEach(other -> spared.add(other.id()));
    Set<ClusterId> victims = new TreeSet<>();
    for (Decision decision : trials.decisions(preemptible(spared))) {
      if (decision instanceof Decision.Preempt preempt) {
        Stream.concat(
                preempt.victims().stream(), preempt.shrinks().stream().map(Decision.Shrink::gang))
            .filter(spared::contains)
            .forEach(victims::add);
      }
    }
    return victims.isEmpty()
        ? Optional.empty()
        : trials.with(new Change.Preemptible(List.copyOf(victims)), preemptible(victims));
  }

  private Snapshot preemptible(Set<ClusterId> others) {
    return snapshot.withRunning(
        snapshot.running().stream()
            .map(
                other ->
                    others.contains(other.id())
                        ? other.asking(
                            other
                                .request()
                                .withTerms(other.request().terms().preemptibleByOthers()))
                        : other)
            .toList());
  }

  private Optional<StartChange> gangEnds() {
    List<RunningGang> others =
        snapshot.running().stream()
            .sorted(
                Comparator.comparingInt(OperatorChanges::held)
                    .thenComparingInt(other -> other.request().priority())
                    .thenComparing(RunningGang::startedAt, Comparator.reverseOrder())
                    .thenComparing(RunningGang::id))
            .toList();
    if (others.isEmpty() || trials.start(without(others)).isEmpty()) {
      return Optional.empty(); // Who ends makes no room for it.
    }
    return trials.first(
        others.subList(0, Math.min(MOST_ENDS, others.size())),
        other -> new Change.GangEnds(other.id(), held(other)),
        other -> Optional.of(without(List.of(other))));
  }

  private static int held(RunningGang gang) {
    Set<NodeId> nodes = new TreeSet<>();
    Tenants.holdings(gang).forEach(held -> nodes.add(held.node()));
    return nodes.size();
  }

  private Snapshot without(List<RunningGang> ended) {
    Map<NodeId, NodeView> nodes = new TreeMap<>();
    snapshot.nodes().forEach(node -> nodes.put(node.id(), node));
    Set<ClusterId> gone = new TreeSet<>();
    for (RunningGang other : ended) {
      gone.add(other.id());
      for (Holding held : Tenants.holdings(other)) {
        nodes.computeIfPresent(held.node(), (id, node) -> node.without(held, snapshot.now()));
      }
    }
    return snapshot
        .withNodes(List.copyOf(nodes.values()))
        .withRunning(
            snapshot.running().stream().filter(other -> !gone.contains(other.id())).toList());
  }
}

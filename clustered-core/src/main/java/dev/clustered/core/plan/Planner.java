// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.core.plan.Pool.Domain;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes a plan by the rules of the package. */
public final class Planner {

  private static final Comparator<Offer> CHEAPEST =
      Comparator.comparing(Offer::hourlyPrice)
          .thenComparing(Offer::bootTime)
          .thenComparing(Offer::backend)
          .thenComparing(Offer::zone)
          .thenComparing(offer -> offer.shape().name())
          .thenComparing(Offer::market);

  private final Snapshot snapshot;
  private final Pool pool;
  private final List<Offer> offers;
  private final Map<String, Integer> launchedFrom = new TreeMap<>();
  private final TreeSet<String> claimed = new TreeSet<>();
  private final List<Decision> decisions = new ArrayList<>();
  private final List<ClusterId> ahead = new ArrayList<>();

  private Planner(Snapshot snapshot) {
    this.snapshot = snapshot;
    this.pool = new Pool(snapshot.nodes());
    this.offers = snapshot.offers().stream().sorted(CHEAPEST).toList();
  }

  /** The plan for a snapshot. */
  public static Plan plan(Snapshot snapshot) {
    Planner planner = new Planner(snapshot);
    snapshot.waiting().forEach(planner::serve);
    planner.release();
    return new Plan(planner.decisions);
  }

  private void serve(GangRequest gang) {
    Optional<LaunchView> launch =
        snapshot.launches().stream().filter(view -> view.gang().equals(gang.id())).findFirst();
    if (launch.isPresent()) {
      waitForLaunch(gang, launch.get());
      return;
    }
    Map<Domain, List<NodeView>> domains = pool.domains(gang);
    Set<String> places = places(gang, domains);
    if (places.isEmpty()) {
      refuse(gang, domains);
      return;
    }
    boolean heldUp = places.stream().anyMatch(claimed::contains);
    if (heldUp) {
      decisions.add(
          new Wait(
              gang.id(),
              List.of(new WaitReason.Behind(ahead.size(), ahead.getFirst())),
              Optional.empty()));
    }
    if (heldUp || !(place(gang, domains) || launch(gang))) {
      if (!heldUp) {
        explain(gang, domains);
      }
      claimed.addAll(places);
      ahead.add(gang.id());
    }
  }

  private void waitForLaunch(GangRequest gang, LaunchView launch) {
    WaitReason reason =
        new WaitReason.LaunchInFlight(launch.id(), launch.nodes(), launch.offer().zone());
    Instant expected = gang.queuedAt().plus(launch.offer().bootTime());
    decisions.add(new Wait(gang.id(), List.of(reason), Optional.of(expected)));
  }

  /** Where the gang could be, now or when everything else has ended: backend and zone. */
  private Set<String> places(GangRequest gang, Map<Domain, List<NodeView>> domains) {
    TreeSet<String> places = new TreeSet<>();
    domains.forEach(
        (domain, nodes) -> {
          if (nodes.size() + (long) launchable(gang, domain.backend(), domain.zone())
              >= gang.nodes()) {
            places.add(domain.backend() + "/" + domain.zone());
          }
        });
    for (Offer offer : offers) {
      if (fits(gang, offer) && everLaunchable(offer) >= gang.nodes()) {
        places.add(offer.backend() + "/" + offer.zone());
      }
    }
    return places;
  }

  /** What the zone could launch if every node that is held there had been given back. */
  private long everLaunchable(Offer offer) {
    long held =
        snapshot.nodes().stream()
            .filter(n -> n.backend().equals(offer.backend()) && n.zone().equals(offer.zone()))
            .count();
    long inFlight =
        snapshot.launches().stream()
            .filter(l -> sameZone(l.offer(), offer))
            .mapToLong(LaunchView::nodes)
            .sum();
    return offer.available() + held + inFlight;
  }

  private static boolean sameZone(Offer one, Offer other) {
    return one.backend().equals(other.backend()) && one.zone().equals(other.zone());
  }

  private static boolean fits(GangRequest gang, Offer offer) {
    return gang.fits(offer.backend(), offer.shape());
  }

  private boolean place(GangRequest gang, Map<Domain, List<NodeView>> domains) {
    Map<Domain, Long> free = new LinkedHashMap<>();
    domains.forEach((domain, nodes) -> free.put(domain, pool.countFree(gang, nodes)));
    Optional<Domain> tightest =
        free.entrySet().stream()
            .filter(entry -> entry.getValue() >= gang.nodes())
            .min(
                Map.Entry.<Domain, Long>comparingByValue()
                    .thenComparing(Map.Entry.comparingByKey()))
            .map(Map.Entry::getKey);
    tightest.ifPresent(
        domain ->
            decisions.add(
                new Place(gang.id(), pool.take(gang, domains.getOrDefault(domain, List.of())))));
    return tightest.isPresent();
  }

  private boolean launch(GangRequest gang) {
    Optional<Offer> cheapest =
        offers.stream()
            .filter(offer -> fits(gang, offer) && coolDown(offer).isEmpty())
            .filter(offer -> left(offer) >= gang.nodes())
            .findFirst();
    cheapest.ifPresent(
        offer -> {
          launchedFrom.merge(key(offer), gang.nodes(), Integer::sum);
          decisions.add(new Launch(gang.id(), offer, gang.nodes(), gang.rdma()));
        });
    return cheapest.isPresent();
  }

  /** What an offer has left after this plan's launches in its zone. */
  private int left(Offer offer) {
    return offer.available() - launchedFrom.getOrDefault(key(offer), 0);
  }

  private static String key(Offer offer) {
    return offer.backend() + "/" + offer.zone();
  }

  private Optional<CoolDown> coolDown(Offer offer) {
    return snapshot.coolDowns().stream()
        .filter(c -> c.backend().equals(offer.backend()) && c.zone().equals(offer.zone()))
        .filter(c -> c.shape().equals(offer.shape().name()))
        .filter(c -> c.until().isAfter(snapshot.now()))
        .findFirst();
  }

  private int launchable(GangRequest gang, String backend, String zone) {
    return offers.stream()
        .filter(o -> o.backend().equals(backend) && o.zone().equals(zone) && fits(gang, o))
        .mapToInt(o -> Math.max(0, left(o)))
        .max()
        .orElse(0);
  }

  private void explain(GangRequest gang, Map<Domain, List<NodeView>> domains) {
    List<WaitReason> reasons = new ArrayList<>();
    offers.stream()
        .filter(offer -> fits(gang, offer))
        .flatMap(offer -> coolDown(offer).stream())
        .distinct()
        .forEach(
            c ->
                reasons.add(
                    new WaitReason.CoolingDown(c.zone(), c.shape(), c.until(), c.failure())));
    reasons.add(shortage(gang, domains));
    decisions.add(new Wait(gang.id(), reasons, Optional.empty()));
  }

  private WaitReason shortage(GangRequest gang, Map<Domain, List<NodeView>> domains) {
    Map<Domain, List<NodeView>> all = new TreeMap<>(domains);
    offers.stream()
        .filter(offer -> fits(gang, offer))
        .map(o -> new Domain(o.backend(), o.zone(), "", o.shape().name()))
        .forEach(domain -> all.putIfAbsent(domain, List.of()));
    return all.entrySet().stream()
        .map(entry -> shortage(gang, entry.getKey(), entry.getValue()))
        .max(Comparator.comparingInt(s -> s.free() + s.launchable() + s.busy()))
        .orElseGet(() -> new WaitReason.NotEnoughNodes(gang.nodes(), "nothing", 0, 0, 0));
  }

  private WaitReason.NotEnoughNodes shortage(
      GangRequest gang, Domain domain, List<NodeView> nodes) {
    int free = (int) pool.countFree(gang, nodes);
    int busy =
        (int)
                snapshot.nodes().stream()
                    .filter(
                        n -> n.backend().equals(domain.backend()) && n.zone().equals(domain.zone()))
                    .count()
            - free;
    return new WaitReason.NotEnoughNodes(
        gang.nodes(),
        domain.describe(),
        free,
        busy,
        launchable(gang, domain.backend(), domain.zone()));
  }

  private void refuse(GangRequest gang, Map<Domain, List<NodeView>> domains) {
    boolean anyShape = !domains.isEmpty() || offers.stream().anyMatch(o -> fits(gang, o));
    String asked =
        "%d nodes%s, %s%s"
            .formatted(
                gang.nodes(),
                gang.shape().map(s -> " of shape " + s).orElse(""),
                gang.each().map(e -> e + " each").orElse("whole"),
                gang.rdma().isPresent() ? ", on one RDMA fabric" : "");
    long most =
        offers.stream().filter(o -> fits(gang, o)).mapToLong(this::everLaunchable).max().orElse(0);
    String why =
        anyShape
            ? "the largest zone that has such nodes holds " + most
            : "no backend has a node like that; there is: " + shapes();
    ErrorCode code =
        gang.rdma().isPresent() ? ErrorCode.FABRIC_UNAVAILABLE : ErrorCode.CANNOT_EVER_FIT;
    decisions.add(
        new Refuse(gang.id(), code, "it asks for " + asked + ", which can never be: " + why));
  }

  private String shapes() {
    TreeSet<String> shapes = new TreeSet<>();
    offers.forEach(o -> shapes.add(o.shape().name() + " (" + o.shape().resources() + ")"));
    return shapes.isEmpty() ? "nothing" : String.join("; ", shapes);
  }

  private void release() {
    List<NodeId> idle =
        snapshot.nodes().stream()
            .filter(node -> node.holders() == 0 && pool.untouched(node))
            .filter(node -> node.health() == NodeHealth.READY)
            .filter(node -> node.idleSince().map(this::tooLong).orElse(false))
            .filter(node -> !claimed.contains(node.backend() + "/" + node.zone()))
            .map(NodeView::id)
            .sorted()
            .toList();
    if (!idle.isEmpty()) {
      decisions.add(new Release(idle));
    }
  }

  private boolean tooLong(Instant since) {
    return !since.plus(snapshot.policy().idleNodeTime()).isAfter(snapshot.now());
  }
}

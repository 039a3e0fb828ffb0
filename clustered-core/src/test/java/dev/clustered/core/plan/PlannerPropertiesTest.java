// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Launch;
import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Release;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties of every plan, over random snapshots; a failure names its seed. */
class PlannerPropertiesTest {

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 400);
  }

  private static Map<NodeId, NodeView> nodes(Snapshot snapshot) {
    return snapshot.nodes().stream().collect(Collectors.toMap(NodeView::id, Function.identity()));
  }

  private static Map<ClusterId, GangRequest> gangs(Snapshot snapshot) {
    return snapshot.waiting().stream()
        .collect(Collectors.toMap(GangRequest::id, Function.identity()));
  }

  private static <T extends Decision> List<T> only(Plan plan, Class<T> type) {
    return plan.decisions().stream().filter(type::isInstance).map(type::cast).toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void givesEveryGangAllOrNothingAndNoPartTwice(long seed) {
    Snapshot snapshot = RandomPool.snapshot(seed);
    Plan plan = Planner.plan(snapshot);

    Map<NodeId, NodeView> left = new TreeMap<>(nodes(snapshot));
    for (Place place : only(plan, Place.class)) {
      GangRequest gang = gangs(snapshot).get(place.gang());
      assertThat(place.assignments()).as("seed %d", seed).hasSize(gang.nodes());
      assertThat(new TreeSet<>(place.assignments().stream().map(a -> a.node()).toList()))
          .as("seed %d: distinct nodes", seed)
          .hasSize(gang.nodes());
      place
          .assignments()
          .forEach(a -> left.computeIfPresent(a.node(), (id, n) -> RandomPool.taken(n, gang, a)));
    }
    for (Launch launch : only(plan, Launch.class)) {
      assertThat(launch.nodes()).isEqualTo(gangs(snapshot).get(launch.gang()).nodes());
      assertThat(launch.offer().available()).isGreaterThanOrEqualTo(launch.nodes());
    }
    for (Release release : only(plan, Release.class)) {
      assertThat(release.nodes()).allMatch(id -> left.get(id).empty());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void keepsAGangInOneZoneOneShapeAndWithRdmaOnOneFabric(long seed) {
    Snapshot snapshot = RandomPool.snapshot(seed);
    for (Place place : only(Planner.plan(snapshot), Place.class)) {
      GangRequest gang = gangs(snapshot).get(place.gang());
      List<NodeView> held =
          place.assignments().stream().map(a -> nodes(snapshot).get(a.node())).toList();

      assertThat(held.stream().map(NodeView::site).distinct()).as("seed %d", seed).hasSize(1);
      assertThat(held).allMatch(n -> n.ready() && gang.need().fits(n.backend(), n.shape()));
      assertThat(held).isSortedAccordingTo(RandomPool.BY_PLACE);
      if (gang.rdma().isPresent()) {
        assertThat(held.stream().map(NodeView::fabric).distinct()).hasSize(1).doesNotContain("");
        assertThat(held).allMatch(NodeView::empty);
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void launchesForNobodyWhatAnEarlierGangWaitsFor(long seed) {
    Snapshot snapshot = RandomPool.snapshot(seed);
    Horizon horizon = horizon(snapshot);
    List<GangRequest> held = new ArrayList<>();
    for (Decision decision : Planner.plan(snapshot).decisions()) {
      if (decision instanceof Wait wait
          && snapshot.launches().stream().noneMatch(l -> l.gang().equals(wait.gang()))) {
        held.add(gangs(snapshot).get(wait.gang()));
      } else if (decision instanceof Launch launch) {
        Site site = Site.of(launch.offer());
        assertThat(held)
            .as("seed %d: %s launches what nobody before could use", seed, launch.gang())
            .noneMatch(g -> horizon.most(g).getOrDefault(site, 0L) >= g.nodes());
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void letsTheFirstGangWaitOnlyWhenNothingSuffices(long seed) {
    Snapshot snapshot = RandomPool.snapshot(seed);
    if (snapshot.waiting().isEmpty()) {
      return;
    }
    GangRequest first = snapshot.waiting().getFirst();
    boolean inFlight = snapshot.launches().stream().anyMatch(l -> l.gang().equals(first.id()));
    boolean free =
        snapshot.nodes().stream()
            .filter(n -> first.need().fits(n.backend(), n.shape()) && RandomPool.holds(n, first))
            .collect(
                Collectors.groupingBy(
                    n -> first.rdma().isPresent() ? Domain.of(n) : Domain.of(n).wholeSite(),
                    TreeMap::new,
                    Collectors.counting()))
            .values()
            .stream()
            .anyMatch(count -> count >= first.nodes());
    boolean launchable =
        snapshot.offers().stream()
            .anyMatch(
                o ->
                    first.need().fits(o.backend(), o.shape())
                        && o.available() >= first.nodes()
                        && snapshot.coolDowns().stream().noneMatch(c -> RandomPool.cools(c, o)));

    Decision decision = Planner.plan(snapshot).decisions().getFirst();

    assertThat(decision instanceof Place)
        .as("seed %d: %s", seed, decision)
        .isEqualTo(!inFlight && free);
    assertThat(decision instanceof Launch)
        .as("seed %d: %s", seed, decision)
        .isEqualTo(!inFlight && !free && launchable);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void onlyWaitsOnceThePlanIsCarriedOut(long seed) {
    Snapshot snapshot = RandomPool.snapshot(seed);
    Snapshot after = RandomPool.carriedOut(snapshot, Planner.plan(snapshot));

    assertThat(Planner.plan(after).decisions())
        .as("seed %d: after %s", seed, Planner.plan(snapshot))
        .hasOnlyElementsOfType(Wait.class);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void doesNotDependOnTheOrderOfItsInput(long seed) {
    Snapshot snapshot = RandomPool.snapshot(seed);
    Random random = new Random(seed);
    List<NodeView> nodes = new ArrayList<>(snapshot.nodes());
    List<LaunchView> launches = new ArrayList<>(snapshot.launches());
    List<Offer> offers = new ArrayList<>(snapshot.offers());
    List<CoolDown> coolDowns = new ArrayList<>(snapshot.coolDowns());
    List.of(nodes, launches, offers, coolDowns).forEach(list -> Collections.shuffle(list, random));
    Snapshot other =
        new Snapshot(
            snapshot.now(),
            nodes,
            launches,
            offers,
            snapshot.waiting(),
            coolDowns,
            snapshot.policy());

    assertThat(Planner.plan(other)).as("seed %d", seed).isEqualTo(Planner.plan(snapshot));
  }

  private static Horizon horizon(Snapshot snapshot) {
    Census census = new Census();
    snapshot.nodes().forEach(census::put);
    return new Horizon(census, snapshot.launches(), snapshot.offers());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void plansTheSameOverAPoolThatHasChanged(long seed) {
    Snapshot before = RandomPool.snapshot(seed + 1_000_000);
    Snapshot snapshot = RandomPool.snapshot(seed);
    Scheduler scheduler = new Scheduler(snapshot.policy());
    tell(scheduler, before);
    Plan unused = scheduler.plan(before.now());
    before.nodes().forEach(node -> scheduler.forget(node.id()));
    before.waiting().forEach(gang -> scheduler.served(gang.id()));
    tell(scheduler, snapshot);
    Plan plan = scheduler.plan(snapshot.now());

    assertThat(plan).as("seed %d", seed).isEqualTo(Planner.plan(snapshot));
    assertThat(scheduler.plan(snapshot.now())).isSameAs(plan);
  }

  private static void tell(Scheduler scheduler, Snapshot snapshot) {
    snapshot.nodes().forEach(scheduler::node);
    snapshot.waiting().forEach(scheduler::waits);
    scheduler.capacity(snapshot.launches(), snapshot.offers(), snapshot.coolDowns());
  }
}

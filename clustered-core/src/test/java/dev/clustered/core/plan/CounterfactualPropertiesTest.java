// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.Change;
import dev.clustered.model.ClusterId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.StartChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever does what a counterfactual says, from its numbers alone, sees the gang start. */
class CounterfactualPropertiesTest {

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 60);
  }

  private static List<Snapshot> snapshots(long seed) {
    Random random = new Random(seed);
    PoolSimulation pool = SimulationTest.pool(random);
    SimulationTest.fill(pool, random, random.nextBoolean());
    pool.waiting.replaceAll(
        gang -> {
          Terms terms = gang.terms().withPriority(random.nextInt(3));
          return gang.withTerms(random.nextBoolean() ? terms.preemptibleByOthers() : terms);
        });
    pool.step();
    return List.of(
        RandomPool.snapshot(seed), new RandomGangs(seed, 12, 6).snapshot(4), pool.snapshot());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void holdsForWhoeverMakesTheChange(long seed) {
    for (Snapshot snapshot : snapshots(seed)) {
      Plan plan = Planner.plan(snapshot);
      for (GangRequest gang : snapshot.waiting().stream().limit(6).toList()) {
        Optional<StartChange> found = Counterfactual.of(snapshot, gang.id());
        boolean starts = start(plan, gang.id()).isPresent();
        assertThat(starts && found.isPresent()).as("seed %d: %s starts", seed, gang).isFalse();
        found.ifPresent(change -> holds(seed, snapshot, gang, change));
      }
    }
  }

  private static void holds(long seed, Snapshot snapshot, GangRequest gang, StartChange found) {
    Optional<Snapshot> changed = changed(snapshot, gang, found.change());
    changed.ifPresent(
        other ->
            assertThat(start(Planner.plan(other), gang.id()))
                .as("seed %d: %s %s", seed, gang, found)
                .contains(found.start()));
    less(found.change())
        .flatMap(change -> changed(snapshot, gang, change))
        .ifPresent(
            other ->
                assertThat(start(Planner.plan(other), gang.id()))
                    .as("seed %d: less than %s would do for %s", seed, found, gang)
                    .isNotEqualTo(Optional.of(found.start())));
  }

  private static Optional<StartChange.Start> start(Plan plan, ClusterId gang) {
    return plan.decisions().stream()
        .filter(decision -> Trials.isFor(decision, gang))
        .flatMap(decision -> Trials.start(decision).stream())
        .findFirst();
  }

  /** One less of what more never hurts. */
  private static Optional<Change> less(Change change) {
    return switch (change) {
      case Change.MoreOffered c when c.nodes() > 1 ->
          Optional.of(new Change.MoreOffered(c.backend(), c.zone(), c.shape(), c.nodes() - 1, 0));
      case Change.Priority c when c.least() > c.asked() + 1 ->
          Optional.of(new Change.Priority(c.asked(), c.least() - 1));
      case Change.FewerSpares c when c.most() + 1 < c.asked() ->
          Optional.of(new Change.FewerSpares(c.asked(), c.most() + 1));
      default -> Optional.empty();
    };
  }

  /** Empty for changes of which the numbers do not say all, such as where a new node lies. */
  private static Optional<Snapshot> changed(Snapshot snapshot, GangRequest gang, Change change) {
    Optional<GangRequest> request =
        Optional.ofNullable(
            switch (change) {
              case Change.TimeLimit c -> gang.withTerms(gang.terms().withTimeLimit(c.most()));
              case Change.Priority c -> gang.withPriority(c.least());
              case Change.FewerSpares c -> gang.withSpares(c.most());
              case Change.FewerNodes c -> fewer(gang, c);
              case Change.OuterLevel c ->
                  layout(gang, l -> l.required().isEmpty() ? l : outer(l, c.asked(), c.instead()));
              case Change.OtherQueue c -> gang.withTerms(gang.terms().withQueue(c.instead()));
              case Change.SmallerRanks c -> smaller(gang, c);
              case Change.NoLayout c -> layout(gang, l -> Layout.ANY);
              case Change.Tolerated c -> need(gang, n -> n.withToleration(c.taint()));
              case Change.AnyShape c ->
                  need(
                      gang,
                      n ->
                          with(
                              n,
                              n.shape().equals(Optional.of(c.asked()))
                                  ? Optional.empty()
                                  : n.shape(),
                              n.rdma()));
              case Change.NoRdma c -> need(gang, n -> with(n, n.shape(), Optional.empty()));
              default -> null;
            });
    return request.map(snapshot::withWaiting).or(() -> byOperator(snapshot, change));
  }

  private static Layout outer(Layout layout, String asked, String instead) {
    return layout.required().equals(Optional.of(asked)) ? layout.withRequired(instead) : layout;
  }

  private static Need with(Need need, Optional<String> shape, Optional<RdmaOptions> rdma) {
    return new Need(
        need.backend(),
        shape,
        need.each(),
        rdma,
        need.attributes(),
        need.tolerates(),
        need.perNode());
  }

  private static GangRequest fewer(GangRequest gang, Change.FewerNodes change) {
    List<Role> roles = new ArrayList<>(gang.roles());
    roles.replaceAll(
        role -> {
          boolean elastic = role.minimum() < role.nodes();
          return !role.name().equals(change.role())
              ? role
              : elastic ? role.withMinimum(change.most()) : role.withNodes(change.most());
        });
    return gang.withRoles(roles);
  }

  private static GangRequest smaller(GangRequest gang, Change.SmallerRanks change) {
    return gang.withRoles(
        gang.roles().stream()
            .map(
                role ->
                    role.name().equals(change.role())
                        ? role.withNeed(role.need().withEach(change.most()))
                        : role)
            .toList());
  }

  private static GangRequest layout(GangRequest gang, UnaryOperator<Layout> change) {
    return gang.withEachRole(role -> role.withLayout(change.apply(role.layout())))
        .withLayout(change.apply(gang.layout()));
  }

  private static GangRequest need(GangRequest gang, UnaryOperator<Need> change) {
    return gang.withEachRole(role -> role.withNeed(change.apply(role.need())));
  }

  private static Optional<Snapshot> byOperator(Snapshot snapshot, Change change) {
    return switch (change) {
      case Change.MoreOffered c -> Optional.of(snapshot.withOffers(offers(snapshot, c)));
      case Change.NodesReady c ->
          Optional.of(
              snapshot.withNodes(
                  snapshot.nodes().stream()
                      .map(n -> c.nodes().contains(n.id()) ? Scenario.in(n, NodeHealth.READY) : n)
                      .toList()));
      case Change.GangEnds c -> {
        RunningGang ends =
            snapshot.running().stream()
                .filter(gang -> gang.id().equals(c.gang()))
                .findFirst()
                .orElseThrow();
        List<NodeView> nodes = new ArrayList<>(snapshot.nodes());
        for (Member member : ends.members()) {
          nodes.replaceAll(
              n -> n.id().equals(member.at().node()) ? n.without(member.at(), snapshot.now()) : n);
        }
        List<RunningGang> running = new ArrayList<>(snapshot.running());
        running.remove(ends);
        yield Optional.of(snapshot.withNodes(nodes).withRunning(running));
      }
      default -> Optional.empty();
    };
  }

  private static List<Offer> offers(Snapshot snapshot, Change.MoreOffered more) {
    List<Offer> offers = new ArrayList<>(snapshot.offers());
    offers.replaceAll(
        offer -> {
          boolean meant =
              offer.backend().equals(more.backend())
                  && offer.zone().equals(more.zone())
                  && offer.shape().name().equals(more.shape());
          return meant
              ? new Offer(
                  offer.backend(),
                  offer.shape(),
                  offer.zone(),
                  offer.market(),
                  offer.hourlyPrice(),
                  offer.bootTime(),
                  offer.available() + more.nodes())
              : offer;
        });
    return offers;
  }
}

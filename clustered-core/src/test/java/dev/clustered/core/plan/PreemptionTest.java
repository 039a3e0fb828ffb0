// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.each;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Place;
import dev.clustered.core.plan.Decision.Preempt;
import dev.clustered.core.plan.Decision.Wait;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PreemptionTest {

  private static final Shape NODE =
      new Shape("gpu", new Resources(8, "H200", 16, ByteSize.gibibytes(64)), 8, 3200);

  private final PoolSimulation pool = new PoolSimulation();

  private static NodeView node(String rack, String name) {
    return Scenario.at(
        name, NODE, TopologyPath.of("zone", "z", "fabric", "f", "rack", rack, "host", name));
  }

  private void nodes(String rack, String... names) {
    for (String name : names) {
      pool.node(node(rack, name));
    }
  }

  private void runs(GangRequest request, String... on) {
    List<Member> members = new ArrayList<>();
    for (String name : on) {
      NodeView node = pool.nodes.get(new NodeId(name));
      Resources takes = request.need().takes(node.shape());
      Holding held = new Holding(node.id(), takes, node.freeGpus().subList(0, takes.gpus()));
      pool.nodes.put(node.id(), node.with(held));
      members.add(new Member(members.size(), Role.ONLY, held));
    }
    pool.running.put(
        request.id(),
        new RunningGang(
            request,
            members,
            NOW.minus(Duration.ofHours(1)),
            request.terms().timeLimit().map(NOW::plus)));
  }

  private static GangRequest low(GangRequest gang) {
    return gang.withTerms(gang.terms().preemptibleByOthers());
  }

  private static GangRequest high(GangRequest gang) {
    return gang.withTerms(gang.terms().withPriority(10));
  }

  private static GangRequest inOneRack(GangRequest gang) {
    return gang.withLayout(Layout.ANY.withRequired("rack"));
  }

  private Decision decision() {
    return Planner.plan(pool.snapshot()).decisions().getFirst();
  }

  private Preempt preempt() {
    assertThat(decision()).isInstanceOf(Preempt.class);
    return (Preempt) decision();
  }

  private static List<ClusterId> ids(String... names) {
    return List.of(names).stream().map(ClusterId::new).toList();
  }

  private static List<NodeId> at(String... names) {
    return List.of(names).stream().map(NodeId::new).toList();
  }

  @Test
  void endsOneGangAndKeepsItsNodeBesideTheFreeOne() {
    nodes("r1", "n1", "n2");
    runs(low(gang("low", 1)), "n2");
    pool.waiting.add(high(gang("high", 2)));

    assertThat(preempt().victims()).isEqualTo(ids("low"));
    assertThat(preempt().claim().nodes()).isEqualTo(at("n1", "n2"));
  }

  @Test
  void endsWhoeverIsInTheWayOfASecondRankOfTheGangOnANode() {
    nodes("r1", "n1", "n2");
    runs(gang("whole", 1), "n1");
    runs(low(parts("half", 1)), "n2");
    pool.waiting.add(high(parts("high", 2)));

    assertThat(preempt().victims()).isEqualTo(ids("half"));
    assertThat(preempt().claim().nodes()).isEqualTo(at("n2", "n2"));
  }

  /** A gang of ranks with four GPUs, of which a node may have two. */
  private static GangRequest parts(String id, int ranks) {
    Need need =
        new Need(Optional.empty(), Optional.empty(), Optional.of(gpus(4)), Optional.empty());
    return gang(id, 1).withRoles(List.of(new Role(Role.ONLY, ranks, need.withPerNode(2))));
  }

  @Test
  void endsNobodyOfEqualPriority() {
    nodes("r1", "n1", "n2");
    runs(low(gang("a", 1)), "n1");
    runs(low(gang("b", 1)), "n2");
    pool.waiting.add(gang("c", 1));

    assertThat(decision()).isInstanceOf(Wait.class);
  }

  @Test
  void endsNobodyWhenTheGangWouldNotFitAllTheSame() {
    nodes("r1", "n1", "n2");
    runs(low(gang("low", 1)), "n1");
    runs(gang("firm", 1), "n2");
    pool.waiting.add(high(gang("high", 2)));

    assertThat(decision()).isInstanceOf(Wait.class);
  }

  @Test
  void endsNobodyThatIsAboutToEndByItself() {
    nodes("r1", "n1");
    runs(low(gang("low", 1)), "n1");
    pool.running.computeIfPresent(
        new ClusterId("low"), (id, gang) -> gang.withPhase(RunningGang.Phase.FINISHING));
    pool.waiting.add(high(gang("high", 1)));

    assertThat(decision()).isInstanceOf(Wait.class);
  }

  @Test
  void takesAllVictimsFromOneRackAndAsFewAsThereCanBe() {
    nodes("r1", "a1", "a2", "a3", "a4");
    nodes("r2", "b1", "b2", "b3", "b4");
    runs(low(gang("one", 1)), "a1");
    runs(low(gang("two", 1)), "a2");
    runs(low(gang("pair", 2)), "a3", "a4");
    runs(low(gang("left", 2)), "b1", "b2");
    runs(low(gang("right", 2)), "b3", "b4");
    pool.waiting.add(high(inOneRack(gang("high", 4))));

    assertThat(preempt().victims()).isEqualTo(ids("left", "right"));
    assertThat(preempt().claim().nodes()).isEqualTo(at("b1", "b2", "b3", "b4"));
  }

  @Test
  void endsNobodyAboveTheLowestPriorityThatSuffices() {
    nodes("r1", "n1", "n2", "n3");
    runs(low(gang("big", 2)).withPriority(5), "n1", "n2");
    runs(low(gang("small", 1)), "n3");
    pool.waiting.add(high(gang("high", 1)));

    assertThat(preempt().victims()).isEqualTo(ids("small"));
  }

  @Test
  void takesTheSurplusOfAnElasticGangBeforeAnybodyEnds() {
    nodes("r1", "n1", "n2", "n3");
    GangRequest elastic = low(gang("elastic", 2));
    runs(elastic.withRoles(List.of(elastic.roles().getFirst().withMinimum(1))), "n1", "n2");
    runs(low(gang("low", 1)), "n3");
    pool.waiting.add(high(gang("high", 1)));

    assertThat(preempt().victims()).isEmpty();
    assertThat(preempt().shrinks())
        .containsExactly(new Decision.Shrink(new ClusterId("elastic"), List.of(1)));
    assertThat(preempt().claim().nodes()).isEqualTo(at("n2"));
  }

  @Test
  void takesOneSlotOfAnElasticGangThatHasEleven() {
    nodes("r1", "n1");
    GangRequest elastic = each(gang("elastic", 8), gpus(1));
    Role role = elastic.roles().getFirst();
    Role shared = new Role(role.name(), 8, 1, role.need().withPerNode(8), Layout.ANY);
    runs(low(elastic.withRoles(List.of(shared))), "n1", "n1", "n1", "n1", "n1", "n1", "n1", "n1");
    pool.waiting.add(high(each(gang("high", 1), gpus(1))));

    assertThat(preempt().victims()).isEmpty();
    assertThat(preempt().shrinks())
        .containsExactly(new Decision.Shrink(new ClusterId("elastic"), List.of(7)));
  }

  @Test
  void takesNoSlotOfAnElasticGangForTwo() {
    nodes("r1", "n1");
    GangRequest elastic = each(gang("elastic", 8), gpus(1));
    Role role = elastic.roles().getFirst();
    Role shared = new Role(role.name(), 8, 1, role.need().withPerNode(8), Layout.ANY);
    runs(low(elastic.withRoles(List.of(shared))), "n1", "n1", "n1", "n1", "n1", "n1", "n1", "n1");
    pool.waiting.add(high(each(gang("one", 1), gpus(1))));
    pool.waiting.add(high(each(gang("other", 1), gpus(1))));

    assertThat(Planner.plan(pool.snapshot()).decisions())
        .extracting(decision -> ((Preempt) decision).shrinks())
        .containsExactly(
            List.of(new Decision.Shrink(new ClusterId("elastic"), List.of(7))),
            List.of(new Decision.Shrink(new ClusterId("elastic"), List.of(6))));
  }

  @Test
  void keepsTheChosenRackWhileItsVictimsEndEvenWhenAnotherComesFree() {
    nodes("r1", "a1", "a2");
    nodes("r2", "b1", "b2");
    runs(gang("firm", 2), "a1", "a2");
    runs(low(gang("low", 2)), "b1", "b2");
    pool.waiting.add(high(inOneRack(gang("high", 2))));

    assertThat(((Preempt) pool.step().decisions().getFirst()).victims()).isEqualTo(ids("low"));
    Tenants.holdings(pool.running.remove(new ClusterId("firm")))
        .forEach(
            held ->
                pool.nodes.computeIfPresent(held.node(), (id, node) -> node.without(held, NOW)));

    assertThat(decision()).isInstanceOf(Wait.class);
    assertThat(((Wait) decision()).reasons().getFirst()).isInstanceOf(WaitReason.Draining.class);
    pool.advance();
    assertThat(((Place) decision()).assignments())
        .extracting(Decision.Assignment::node)
        .containsExactlyElementsOf(at("b1", "b2"));
  }

  @Test
  void givesWhatVictimsFreeToTheGangTheyEndedForAndNotBackToThem() {
    nodes("r1", "n1");
    runs(low(gang("low", 1)), "n1");
    pool.waiting.add(high(gang("high", 1)));
    pool.step();
    pool.advance();

    List<Decision> plan = pool.step().decisions();

    assertThat(plan.getFirst()).isInstanceOf(Place.class);
    assertThat(((Place) plan.getFirst()).gang()).isEqualTo(new ClusterId("high"));
    assertThat(plan.get(1)).isInstanceOf(Wait.class);
  }

  @Test
  void letsOnlyItsOwnGangWaitForAVictimThatHangs() {
    nodes("r1", "n1", "n2");
    runs(low(gang("stuck", 1)), "n1");
    runs(low(gang("other", 1)), "n2");
    pool.waiting.add(high(gang("first", 1)));
    Preempt first = (Preempt) pool.step().decisions().getFirst();
    pool.waiting.add(high(gang("second", 1)));

    Preempt second = (Preempt) Planner.plan(pool.snapshot()).decisions().get(1);

    assertThat(second.gang()).isEqualTo(new ClusterId("second"));
    assertThat(second.victims()).doesNotContainAnyElementsOf(first.victims()).hasSize(1);
  }

  @Test
  void plansAnewWhenAPromiseHasRunOut() {
    nodes("r1", "n1", "n2");
    runs(low(gang("stuck", 1)), "n1");
    runs(low(gang("other", 1)).withPriority(3), "n2");
    pool.waiting.add(high(gang("high", 1)));
    assertThat(((Preempt) pool.step().decisions().getFirst()).victims()).isEqualTo(ids("stuck"));

    pool.now = NOW.plus(Duration.ofMinutes(10));

    assertThat(decision()).isInstanceOf(Wait.class);
    assertThat(((Wait) decision()).reasons().getFirst()).isInstanceOf(WaitReason.Draining.class);
  }

  @Test
  void leavesAloneWhoHasNotRunForTheTimeThatIsGuaranteed() {
    nodes("r1", "n1");
    runs(low(gang("low", 1)), "n1");
    pool.policy =
        pool.policy.withPreemption(
            new PlanPolicy.Preemption(
                true, Duration.ofHours(2), Duration.ZERO, Duration.ofMinutes(10)));
    pool.waiting.add(high(gang("high", 1)));

    assertThat(decision()).isInstanceOf(Wait.class);
  }

  @Test
  void ratherWaitsForAnEndThatIsExpectedWithinItsPatience() {
    nodes("r1", "n1", "n2");
    GangRequest soon = gang("soon", 1);
    runs(soon.withTerms(soon.terms().withTimeLimit(Duration.ofMinutes(3))), "n1");
    runs(low(gang("low", 1)), "n2");
    pool.policy =
        pool.policy.withPreemption(
            new PlanPolicy.Preemption(
                true, Duration.ZERO, Duration.ofMinutes(5), Duration.ofMinutes(10)));
    pool.waiting.add(high(gang("high", 1)));

    assertThat(((Wait) decision()).expectedStart())
        .isEqualTo(Optional.of(NOW.plus(Duration.ofMinutes(3))));
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 300);
  }

  /** Against every set of gangs that could be ended. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void endsAsFewAsAnybodyCould(long seed) {
    Random random = new Random(seed);
    int racks = 1 + random.nextInt(2);
    List<String> names = new ArrayList<>();
    for (int rack = 0; rack < racks; rack++) {
      for (int host = 0; host < 3; host++) {
        names.add("r" + rack + "h" + host);
        nodes("r" + rack, "r" + rack + "h" + host);
      }
    }
    for (int i = 0; i < 7; i++) {
      addRandom(random, "v" + i, names);
    }
    GangRequest wanted = gang("high", 1 + random.nextInt(3));
    wanted = random.nextBoolean() ? wanted : each(wanted, gpus(1 + random.nextInt(8)));
    wanted = high(random.nextBoolean() ? wanted : inOneRack(wanted));
    pool.waiting.add(wanted);
    Decision decision = decision();

    int least = leastVictims(wanted);

    if (decision instanceof Preempt preempt) {
      assertThat(preempt.victims()).as("seed %d: %s", seed, preempt).hasSize(least);
    } else if (decision instanceof Wait) {
      assertThat(least).as("seed %d", seed).isEqualTo(Integer.MAX_VALUE);
    } else {
      assertThat(least).as("seed %d", seed).isZero();
    }
  }

  private void addRandom(Random random, String name, List<String> nodes) {
    List<String> on = new ArrayList<>();
    boolean whole = random.nextInt(3) == 0;
    int part = 1 + random.nextInt(6);
    int ranks = 1 + random.nextInt(3);
    for (String node : nodes) {
      NodeView view = pool.nodes.get(new NodeId(node));
      boolean room = whole ? view.holders() == 0 : view.free().gpus() >= part;
      if (room && on.size() < ranks && random.nextBoolean()) {
        on.add(node);
      }
    }
    if (!on.isEmpty()) {
      GangRequest gang = gang(name, on.size());
      gang = low(whole ? gang : each(gang, gpus(part)));
      runs(gang, on.toArray(String[]::new));
    }
  }

  /** Tries every set of the gangs that run; the largest number when none suffices. */
  private int leastVictims(GangRequest wanted) {
    List<RunningGang> all = List.copyOf(pool.running.values());
    int least = Integer.MAX_VALUE;
    for (int set = 0; set < 1 << all.size(); set++) {
      PoolSimulation without = new PoolSimulation();
      without.nodes.putAll(pool.nodes);
      for (int i = 0; i < all.size(); i++) {
        if ((set >> i & 1) == 1) {
          for (Holding held : Tenants.holdings(all.get(i))) {
            without.nodes.computeIfPresent(held.node(), (id, node) -> node.without(held, NOW));
          }
        }
      }
      without.waiting.add(wanted);
      boolean fits = Planner.plan(without.snapshot()).decisions().getFirst() instanceof Place;
      if (fits) {
        least = Math.min(least, Integer.bitCount(set));
      }
    }
    return least;
  }
}

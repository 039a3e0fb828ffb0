// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Counterfactuals.cheapest;
import static dev.clustered.core.plan.Counterfactuals.racks;
import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.SMALL;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.node;
import static dev.clustered.core.plan.Scenario.offer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ClusterId;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.StartChange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What would let a gang start now, the cheapest first. */
class CounterfactualTest {

  private static final Terms IN_B = Terms.DEFAULT.withQueue("b");

  private static GangRequest limited(GangRequest gang, int minutes) {
    return gang.withTerms(gang.terms().withTimeLimit(Duration.ofMinutes(minutes)));
  }

  private static GangRequest needs(GangRequest gang, Need need) {
    return gang.withRoles(List.of(new Role(Role.ONLY, gang.nodes(), need)));
  }

  @Test
  void isNothingForAGangThatStartsOrComes() {
    Running pool = racks();
    pool.scenario.gangs(gang("starts", 2));
    assertThat(cheapest(pool, "starts")).isEqualTo("nothing");
    assertThat(cheapest(pool, "unknown")).isEqualTo("nothing");

    Scenario coming =
        new Scenario().inFlight("comes", offer(GPU, "z", 4, "1"), 2).gangs(gang("comes", 2));
    assertThat(cheapest(coming.snapshot(), "comes")).isEqualTo("nothing");
  }

  @Test
  void isTheLongestTimeLimitThatEndsBeforeAReservation() {
    Running pool = racks();
    pool.runs(gang("first", 1), Optional.of(NOW.plusSeconds(3600)), "r1-1");
    pool.runs(gang("second", 1), Optional.of(NOW.plusSeconds(7200)), "r1-2");
    pool.scenario.gangs(gang("head", 4), limited(gang("late", 2), 600));
    assertThat(cheapest(pool, "late"))
        .isEqualTo("with a time limit of PT2H or less, it starts now");
  }

  @Test
  void isTheNextLevelOutBeforeAPreferredOne() {
    Running pool = new Running();
    for (String block : List.of("b1", "b2")) {
      for (String rack : List.of("1", "2")) {
        String id = block + "-" + rack;
        pool.nodes(
            Scenario.at(
                id,
                GPU,
                dev.clustered.model.TopologyPath.of(
                    "zone", "z", "block", block, "rack", block + rack, "host", id)));
      }
    }
    Layout rack = Layout.ANY.withRequired("rack");
    pool.scenario.gangs(gang("two", 2).withLayout(rack));
    assertThat(cheapest(pool, "two")).isEqualTo("in one block instead of one rack, it starts now");
    pool.scenario.waiting.clear();
    pool.scenario.gangs(gang("three", 3).withLayout(rack));
    assertThat(cheapest(pool, "three"))
        .isEqualTo("with one rack preferred instead of required, it starts now");
  }

  @Test
  void isFewerSparesBeforeFewerNodes() {
    Running pool = racks();
    pool.scenario.gangs(gang("g", 3).withSpares(3)).mayGrow();
    assertThat(cheapest(pool, "g")).isEqualTo("with 1 spare instead of 3, it starts now");
  }

  @Test
  void isTheMostNodesThatFit() {
    Running pool = racks();
    pool.scenario.gangs(gang("g", 6)).mayGrow();
    assertThat(cheapest(pool, "g"))
        .isEqualTo("with 4 nodes instead of 6 for the role worker, it starts now");
  }

  @Test
  void givesUpWholeBlocks() {
    Running pool = racks();
    pool.scenario.gangs(gang("g", 6).withLayout(Layout.ANY.withBlocks("rack", 2))).mayGrow();
    assertThat(cheapest(pool, "g")).startsWith("with 4 nodes instead of 6");
  }

  @Test
  void asksForLessThanHalfOnlyWhenNothingElseOfTheOwnerHelps() {
    Running pool = racks().health(NodeHealth.CORDONED, "r1-1", "r1-2", "r2-1");
    pool.replace(pool.node("r2-2"));
    pool.scenario.gangs(gang("g", 4));
    assertThat(cheapest(pool, "g")).startsWith("with 1 node instead of 4");
  }

  @Test
  void isAWiderSpread() {
    Running pool = racks();
    pool.scenario.gangs(gang("g", 4).withLayout(Layout.ANY.withSpread("rack", 1))).mayGrow();
    assertThat(cheapest(pool, "g"))
        .startsWith("with 2 nodes instead of 4"); // Half of them is less change.
    pool.scenario.waiting.clear();
    pool.scenario.gangs(gang("g", 1).withLayout(Layout.ANY.withSpread("block", 1)));
    assertThat(cheapest(pool, "g"))
        .isEqualTo("without a spread over domains of the level block, it starts now");
  }

  @Test
  void isNoBlocks() {
    Running pool = racks();
    pool.scenario.gangs(gang("g", 3).withLayout(Layout.ANY.withBlocks("rack", 3))).mayGrow();
    assertThat(cheapest(pool, "g"))
        .isEqualTo("without blocks of 3 ranks in one rack, it starts now");
  }

  @Test
  void isWhatKeepsNodesAway() {
    Running pool = racks();
    for (String id : List.of("r1-1", "r1-2", "r2-1", "r2-2")) {
      pool.replace(
          pool.node(id).withTaints(Set.of("maintenance")).withAttributes(Map.of("os", "a")));
    }
    pool.scenario.mayGrow();
    pool.scenario.gangs(gang("taint", 2));
    assertThat(cheapest(pool, "taint"))
        .isEqualTo("with the taint maintenance tolerated, it starts now");
    pool.scenario.waiting.clear();
    Need tolerant = Need.WHOLE_NODE.withToleration("maintenance");
    pool.scenario.gangs(needs(gang("os", 2), tolerant.withAttribute("os", "b")));
    assertThat(cheapest(pool, "os")).isEqualTo("without asking that nodes say os=b, it starts now");
  }

  @Test
  void answersForGangsThatAreRefused() {
    Scenario pool = new Scenario().nodes(node("n", GPU, "z", ""), node("m", GPU, "z", ""));
    pool.gangs(Scenario.ofShape(gang("shape", 2), "other"));
    assertThat(pool.plan().getFirst()).isInstanceOf(Decision.Refuse.class);
    assertThat(cheapest(pool.snapshot(), "shape"))
        .isEqualTo("on nodes of any shape instead of other, it starts now");
    pool.waiting.clear();
    pool.gangs(Scenario.each(gang("model", 2), Queues.ofModel("B200", 8)));
    assertThat(cheapest(pool.snapshot(), "model"))
        .isEqualTo("with GPUs of any model instead of B200, it starts now");
    pool.waiting.clear();
    pool.gangs(Scenario.onBackend(gang("backend", 2), "far"));
    assertThat(cheapest(pool.snapshot(), "backend"))
        .isEqualTo("on any backend instead of far, it starts now");
    pool.waiting.clear();
    pool.gangs(Scenario.rdma(gang("rdma", 2)));
    assertThat(cheapest(pool.snapshot(), "rdma")).isEqualTo("without RDMA, it starts now");
  }

  @Test
  void isTheHighestRateThatDoes() {
    Scenario pool = new Scenario().nodes(node("n", FAST, "z", "f"), node("m", FAST, "z", "f"));
    GangRequest asked =
        needs(
            gang("g", 2),
            new Need(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(new RdmaOptions(6_400))));
    pool.gangs(asked);
    assertThat(cheapest(pool.snapshot(), "g"))
        .isEqualTo("with RDMA of 3200 Gb/s instead of 6400, it starts now");
  }

  @Test
  void isTheLowestPriorityThatGoesFirst() {
    Running pool = racks();
    pool.runs(gang("r", 3), "r1-1", "r1-2", "r2-1");
    pool.scenario.gangs(gang("top", 4).withPriority(9), gang("g", 1).withPriority(2));
    assertThat(cheapest(pool, "g"))
        .isEqualTo("with a priority of 10 or more instead of 2, it starts now");
  }

  @Test
  void saysWhenAPriorityWouldEndOthers() {
    Running pool = racks();
    pool.policy = new PlanPolicy(Scenario.IDLE_TIME);
    GangRequest victim = gang("victim", 4);
    pool.runs(
        victim.withTerms(victim.terms().withPriority(3).preemptibleByOthers()),
        "r1-1",
        "r1-2",
        "r2-1",
        "r2-2");
    pool.scenario.gangs(gang("g", 1));
    assertThat(cheapest(pool, "g"))
        .isEqualTo("with a priority of 4 or more instead of 0, others are ended for it now");
  }

  @Test
  void isAsFewNodesInUseAgainAsSuffice() {
    Running pool = racks().health(NodeHealth.CORDONED, "r1-2", "r2-1", "r2-2");
    pool.runs(gang("r", 1), "r1-1");
    pool.scenario.gangs(gang("g", 1));
    assertThat(cheapest(pool, "g"))
        .isEqualTo("with r1-2 in use again in zone=z/rack=r1, it starts now");
  }

  @Test
  void isWhatAQueueAndThoseAroundItLack() {
    Queues queues =
        new Queues()
            .shares(
                Queues.share("a", "", 8),
                Queues.share("b", "a", 8).withBorrowing(Scenario.gpus(0)),
                Queues.share("c", "", 8).withLending(Scenario.gpus(0)))
            .running(Queues.running("r", "b", 6))
            .waiting(Scenario.each(gang("g", 1), Scenario.gpus(5)).withTerms(IN_B));
    List<NodeView> nodes = List.of(node("n", GPU, "z", ""), node("m", GPU, "z", ""));
    assertThat(cheapest(queues.snapshot(nodes), "g"))
        .as("c has nothing")
        .isEqualTo("in the queue c instead of b, it starts now");
    queues.running(Queues.running("s", "c", 8));
    assertThat(cheapest(queues.snapshot(nodes), "g"))
        .isEqualTo("with 3 × GPU more for queue b, it starts now");
  }

  @Test
  void saysHowMuchOfMoreQuotaIsForEarlierGangs() {
    Queues queues =
        new Queues()
            .shares(Queues.share("b", "", 3))
            .running(Queues.running("r", "b", 2))
            .waiting(
                Scenario.each(gang("first", 1), Scenario.gpus(2)).withTerms(IN_B),
                Scenario.each(gang("g", 1), Scenario.gpus(1)).withTerms(IN_B));
    Snapshot snapshot = queues.snapshot(List.of(node("n", GPU, "z", "")));
    Trials trials = new Trials(new ClusterId("g"), 100);
    assertThat(new MoreQuota(snapshot, snapshot.waiting().getLast(), trials).find().orElseThrow())
        .as("g waits behind the first, which lacks one GPU")
        .hasToString(
            "with 2 × GPU more for queue b, 1 × GPU of it for earlier gangs, it starts now");
  }

  @Test
  void isTheNearestQueueThatHasRoom() {
    Queues queues =
        new Queues()
            .shares(
                Queues.share("a", "", 8),
                Queues.share("b", "a", 1).withBorrowing(Scenario.gpus(0)),
                Queues.share("far", "", 8),
                Queues.share("near", "a", 4),
                Queues.share("full", "a", 1).withBorrowing(Scenario.gpus(0)))
            .waiting(Scenario.each(gang("g", 1), Scenario.gpus(2)).withTerms(IN_B));
    assertThat(cheapest(queues.snapshot(List.of(node("n", GPU, "z", ""))), "g"))
        .isEqualTo("in the queue a instead of b, it starts now");
  }

  @Test
  void isSmallerBlocksBeforeNoneAndBeforeFewerNodes() {
    Running pool = new Running();
    pool.nodes(Running.rack("r1", 4)).nodes(Running.rack("r2", 2)).nodes(Running.rack("r3", 2));
    pool.scenario.gangs(gang("g", 8).withLayout(Layout.ANY.withBlocks("rack", 4))).mayGrow();
    assertThat(cheapest(pool, "g"))
        .isEqualTo("with blocks of 2 ranks in one rack instead of 4, it starts now");
  }

  @Test
  void keepsSmallerBlocksInsideThoseAroundThem() {
    Running pool = new Running();
    pool.nodes(Running.rack("r1", 6)).nodes(Running.rack("r2", 6));
    Layout layout = Layout.ANY.withBlocks("zone", 12).withBlocks("rack", 4);
    pool.scenario.gangs(gang("g", 12).withLayout(layout)).mayGrow();
    assertThat(cheapest(pool, "g"))
        .isEqualTo("with blocks of 3 ranks in one rack instead of 4, it starts now");
  }

  @Test
  void saysHowManyOfMoreNodesAreForEarlierGangs() {
    Running pool = racks();
    pool.runs(gang("r", 4), "r1-1", "r1-2", "r2-1", "r2-2");
    pool.scenario.gangs(gang("first", 3), gang("g", 1));
    StartChange more =
        new MoreNodes(
                pool.snapshot(),
                pool.scenario.waiting.getLast(),
                new Trials(new ClusterId("g"), 100))
            .find(100)
            .orElseThrow();
    assertThat(more)
        .hasToString("with 4 more free gpu in zone=z, 3 of them for earlier gangs, it starts now");
  }

  @Test
  void isAsMuchOfTheBestOfferAsIsLacking() {
    Running pool = new Running();
    pool.scenario.offers(offer(SMALL, "z", 1, "2"), offer(SMALL, "y", 1, "1"));
    pool.scenario.gangs(gang("busy", 1));
    pool.nodes(Scenario.busy(node("n", SMALL, "y", "")), Scenario.busy(node("m", SMALL, "y", "")));
    pool.scenario.waiting.clear();
    pool.scenario.gangs(gang("g", 3));
    assertThat(cheapest(pool, "g"))
        .isEqualTo("with 1 node instead of 3 for the role worker, nodes are launched for it now");
  }

  @Test
  void isTheEndOfTheSmallestGangThatMakesRoom() {
    Running pool = racks();
    pool.runs(gang("big", 2), "r1-1", "r1-2");
    pool.runs(gang("small", 1), "r2-1");
    pool.runs(gang("other", 1), "r2-2");
    pool.scenario.gangs(gang("g", 1));
    StartChange least =
        new OperatorChanges(
                pool.snapshot(),
                pool.scenario.waiting.getFirst(),
                new Trials(new ClusterId("g"), 100))
            .all()
            .getLast()
            .get()
            .orElseThrow();
    assertThat(least).hasToString("with the gang other ended, which holds 1 node, it starts now");
    assertThat(least.disturbsOthers()).isTrue();
    assertThat(cheapest(pool, "g")).isEqualTo("with 1 more free gpu in zone=z, it starts now");
  }

  @Test
  void makesNoMorePlansThanAllowed() {
    Running pool = racks();
    pool.runs(gang("r", 4), "r1-1", "r1-2", "r2-1", "r2-2");
    pool.scenario.gangs(gang("g", 1));
    Trials trials = new Trials(new ClusterId("g"), 3);
    for (int i = 0; i < 3; i++) {
      assertThat(trials.decisions(pool.snapshot())).hasSize(1);
    }
    assertThat(trials.decisions(pool.snapshot())).isEmpty();
  }

  @Test
  void tellsTheWholeOutlook() {
    Running pool = racks();
    pool.runs(gang("r", 4), Optional.of(NOW.plusSeconds(600)), "r1-1", "r1-2", "r2-1", "r2-2");
    pool.scenario.gangs(limited(gang("a", 3), 10), gang("b", 2));
    Outlook outlook = Outlook.of(pool.snapshot(), new ClusterId("b"));
    assertThat(outlook.expectedStart()).contains(NOW.plusSeconds(1200));
    assertThat(outlook.reasons()).isNotEmpty();
    assertThat(outlook.change()).isPresent();
  }
}

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
import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many gangs that others end for in one plan, and gangs with spares; a failure names its seed. */
class PreemptionOfManyTest {

  private final PoolSimulation pool = new PoolSimulation();

  private static NodeView node(String rack, String name) {
    return Scenario.at(
        name, Scenario.GPU, TopologyPath.of("zone", "z", "rack", rack, "host", name));
  }

  private void runs(GangRequest request, int secondsAgo, String... on) {
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
        new RunningGang(request, members, NOW.minusSeconds(secondsAgo), Optional.empty()));
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 200);
  }

  /**
   * What is found for many in one plan is what is found for one after the other, when each plan
   * before has been carried out and nothing is known from it.
   */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void findsForManyAtOnceWhatItFindsForOneAfterTheOther(long seed) {
    Random random = new Random(seed);
    boolean queues = random.nextBoolean();
    fill(random, queues);
    PoolSimulation oneByOne = new PoolSimulation();
    oneByOne.nodes.putAll(pool.nodes);
    oneByOne.running.putAll(pool.running);
    oneByOne.policy = pool.policy;
    int each = 1 + random.nextInt(2);
    for (int i = 0; i < 12; i++) {
      GangRequest wanted = each(gang("w%02d".formatted(i), 1), gpus(each + random.nextInt(2)));
      Terms terms = Terms.DEFAULT.withPriority(100);
      pool.waiting.add(wanted.withTerms(queues ? terms.withQueue("owner") : terms));
    }

    List<GangRequest> asked = List.copyOf(pool.waiting);
    List<Decision> atOnce = pool.step().decisions();

    assertThat(atOnce).as("seed %d", seed).hasSameSizeAs(asked);
    for (GangRequest wanted : asked) {
      Decision decision = only(atOnce, wanted.id());
      if (waitsForOthers(decision)) {
        return;
      }
      oneByOne.waiting.add(wanted);
      Decision then = only(oneByOne.step().decisions(), wanted.id());
      if (decision instanceof Preempt || decision instanceof Place) {
        assertThat(then).as("seed %d", seed).isEqualTo(decision);
      } else {
        assertThat(then).as("seed %d", seed).hasSameClassAs(decision);
      }
    }
  }

  private static Decision only(List<Decision> decisions, ClusterId gang) {
    return decisions.stream()
        .filter(decision -> gang.equals(about(decision)))
        .reduce((one, other) -> Assertions.fail("%s and %s", one, other))
        .orElseThrow();
  }

  private static ClusterId about(Decision decision) {
    return switch (decision) {
      case Preempt preempt -> preempt.gang();
      case Place place -> place.gang();
      case Wait wait -> wait.gang();
      case Decision.Refuse refuse -> refuse.gang();
      default -> throw new AssertionError(decision);
    };
  }

  /** Such a promise is not carried over to the next plan, in which others may be promised that. */
  private static boolean waitsForOthers(Decision decision) {
    return decision instanceof Wait wait
        && wait.reasons().stream().anyMatch(WaitReason.Draining.class::isInstance);
  }

  /** Shared and whole nodes, gangs of one rank and of several, of one priority or of some. */
  private void fill(Random random, boolean queues) {
    List<String> names = new ArrayList<>();
    for (int rack = 0; rack < 1 + random.nextInt(2); rack++) {
      for (int host = 0; host < 1 + random.nextInt(4); host++) {
        names.add("r" + rack + "h" + host);
        pool.node(node("r" + rack, "r" + rack + "h" + host));
      }
    }
    int ranks = 1 + random.nextInt(3);
    int priorities = 1 + random.nextInt(3);
    for (int i = 0; i < 40; i++) {
      int part = 1 + random.nextInt(3);
      List<String> on = new ArrayList<>();
      for (String name : names) {
        boolean room = pool.nodes.get(new NodeId(name)).free().gpus() >= part;
        if (room && on.size() < ranks && random.nextBoolean()) {
          on.add(name);
        }
      }
      if (!on.isEmpty()) {
        Terms terms = Terms.DEFAULT.withPriority(random.nextInt(priorities));
        terms = random.nextInt(5) == 0 ? terms : terms.preemptibleByOthers();
        terms = queues ? terms.withQueue(random.nextInt(4) == 0 ? "owner" : "over") : terms;
        GangRequest low = each(gang("v%02d".formatted(i), on.size()), gpus(part)).withTerms(terms);
        runs(low, random.nextInt(1000), on.toArray(String[]::new));
      }
    }
    if (queues) {
      int all = names.size() * 8;
      int own = random.nextInt(all + 1);
      pool.policy =
          pool.policy.withQueues(
              new QueueTree(
                  List.of(share("owner", own), share("over", all - own)), Queues.HALF_LIFE));
    }
  }

  private static QueueShare share(String name, int gpus) {
    Resources all = new Resources(gpus, "", 0, ByteSize.ZERO);
    return new QueueShare(name, "", all);
  }

  @Test
  void endsAsManyAsRanksAndSparesNeedWhereSparesLieOnOtherNodes() {
    pool.node(node("r1", "a1"));
    pool.node(node("r2", "b1"));
    runs(low("one"), 60, "a1");
    runs(low("two"), 60, "b1");
    GangRequest high = gang("high", 1).withPriority(10).withSpares(1);
    pool.waiting.add(high);

    Preempt preempt = (Preempt) pool.step().decisions().getFirst();

    assertThat(preempt.victims()).containsExactly(new ClusterId("one"), new ClusterId("two"));
    assertThat(preempt.claim().nodes()).hasSize(2);
    pool.advance();
    Place place = (Place) pool.step().decisions().getFirst();
    assertThat(place.assignments()).hasSize(1);
    assertThat(place.spares()).hasSize(1);
  }

  @Test
  void endsNobodyElsewhereWhenTheSpareAloneLacks() {
    pool.node(node("r1", "a1"));
    pool.node(node("r1", "a2"));
    pool.node(node("r2", "b1"));
    runs(low("one"), 60, "a2");
    runs(low("two").withPriority(1), 60, "b1");
    GangRequest high = gang("high", 1).withPriority(10).withSpares(1);
    pool.waiting.add(high);

    Preempt preempt = (Preempt) pool.step().decisions().getFirst();

    assertThat(preempt.victims()).containsExactly(new ClusterId("one"));
  }

  @Test
  void takesRanksThatAnElasticGangCanDoWithoutForASpareToo() {
    pool.node(node("r1", "a1"));
    pool.node(node("r2", "b1"));
    GangRequest elastic = low("elastic").withRoles(List.of(role(2).withMinimum(1)));
    runs(elastic, 60, "a1", "b1");
    pool.node(node("r1", "a2"));
    pool.waiting.add(gang("high", 1).withPriority(10).withSpares(1));

    Preempt preempt = (Preempt) pool.step().decisions().getFirst();

    assertThat(preempt.victims()).isEmpty();
    assertThat(preempt.shrinks())
        .containsExactly(new Decision.Shrink(new ClusterId("elastic"), List.of(1)));
  }

  private static Role role(int nodes) {
    return gang("any", nodes).roles().getFirst();
  }

  private static GangRequest low(String name) {
    GangRequest low = gang(name, 1);
    return low.withTerms(low.terms().preemptibleByOthers());
  }
}

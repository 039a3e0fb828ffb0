// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Gangs come, are served, leave and end in queues that are full most of the time: a scheduler that
 * is told each change plans as one that sees everything for the first time.
 */
class LiveQueuesTest {

  private static final Shape SHAPE =
      new Shape("gpu", new Resources(8, "H200", 64, ByteSize.gibibytes(512)), 0, 0);
  private static final Resources PART = new Resources(2, "", 1, ByteSize.gibibytes(1));
  private static final int STEPS = 60;

  private final Map<NodeId, NodeView> nodes = new TreeMap<>();
  private final List<GangRequest> waiting = new ArrayList<>();
  private final Map<ClusterId, RunningGang> running = new TreeMap<>();
  private int waits;

  private static PlanPolicy policy(Random random) {
    List<QueueTree.QueueShare> shares = new ArrayList<>();
    shares.add(Queues.share("all", "", 40));
    for (String queue : List.of("a", "b", "c")) {
      shares.add(
          new QueueTree.QueueShare(
              queue,
              "all",
              new Resources(8 + 2 * random.nextInt(3), "", 0, ByteSize.ZERO),
              Optional.of(new Resources(2 * random.nextInt(8), "", 0, ByteSize.ZERO)),
              Optional.empty(),
              1));
    }
    return new PlanPolicy(Duration.ofDays(1))
        .withQueues(new QueueTree(shares, Duration.ofHours(1)))
        .withPreemption(
            new PlanPolicy.Preemption(
                random.nextBoolean(), Duration.ZERO, Duration.ZERO, Duration.ofMinutes(5)));
  }

  private static GangRequest gang(int number, Random random, Instant now) {
    Need need =
        new Need(Optional.empty(), Optional.empty(), Optional.of(PART), Optional.empty())
            .withPerNode(2);
    String queue = List.of("a", "b", "c").get(random.nextInt(3));
    Role role = new Role(Role.ONLY, 1 + random.nextInt(3), need);
    return new GangRequest(new ClusterId("g-" + number), now, List.of(role))
        .withTerms(
            Terms.DEFAULT.withQueue(queue).withPriority(random.nextInt(2)).preemptibleByOthers());
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void planAsIfSeenForTheFirstTime(long seed) {
    Random random = new Random(seed);
    PlanPolicy policy = policy(random);
    Scheduler live = new Scheduler(policy);
    for (int number = 0; number < 8; number++) {
      change(live, node(number));
    }
    int gangs = 0;
    for (int step = 0; step < STEPS; step++) {
      Instant now = NOW.plusSeconds(step);
      for (int more = random.nextInt(4); more > 0; more--) {
        come(live, gang(gangs++, random, now));
      }
      if (!waiting.isEmpty() && random.nextInt(4) == 0) {
        GangRequest gone = waiting.remove(random.nextInt(waiting.size()));
        live.served(gone.id());
      }
      if (!running.isEmpty() && random.nextBoolean()) {
        end(live, List.copyOf(running.keySet()).get(random.nextInt(running.size())), now);
      }
      List<Decision> fresh = Planner.plan(snapshot(now, policy)).decisions();
      assertThat(live.plan(now).decisions()).as("seed %d, step %d", seed, step).isEqualTo(fresh);
      fresh.forEach(decision -> carryOut(live, decision, now));
    }
    assertThat(waits).as("waits of seed %d", seed).isPositive();
  }

  private static NodeView node(int number) {
    String host = "n" + number;
    return new NodeView(
        new NodeId(host),
        "local",
        SHAPE,
        TopologyPath.of("zone", "z", "rack", "r" + number / 4, "host", host),
        SHAPE.resources(),
        NodeHealth.READY,
        IntStream.range(0, 8).boxed().toList(),
        0,
        Optional.of(NOW),
        new LaunchId("l"));
  }

  private void change(Scheduler live, NodeView node) {
    nodes.put(node.id(), node);
    live.node(node);
  }

  private void come(Scheduler live, GangRequest gang) {
    waiting.add(gang);
    live.waits(gang);
  }

  private void end(Scheduler live, ClusterId id, Instant now) {
    RunningGang gang = running.remove(id);
    Tenants.holdings(gang)
        .forEach(held -> nodes.computeIfPresent(held.node(), (n, node) -> node.without(held, now)));
    live.ended(id, now);
  }

  private Snapshot snapshot(Instant now, PlanPolicy policy) {
    return new Snapshot(
        now,
        List.copyOf(nodes.values()),
        List.of(),
        List.of(),
        waiting,
        List.of(),
        policy,
        List.copyOf(running.values()),
        List.of());
  }

  private GangRequest take(ClusterId id) {
    GangRequest gang =
        waiting.stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
    waiting.remove(gang);
    return gang;
  }

  private void carryOut(Scheduler live, Decision decision, Instant now) {
    switch (decision) {
      case Decision.Place place -> {
        GangRequest gang = take(place.gang());
        List<Member> members = new ArrayList<>();
        for (Assignment at : place.assignments()) {
          Holding held = new Holding(at.node(), gang.need().takes(SHAPE), at.gpus());
          nodes.computeIfPresent(at.node(), (n, node) -> node.with(held));
          members.add(new Member(members.size(), Role.ONLY, held));
        }
        RunningGang placed = new RunningGang(gang, members, now, Optional.empty());
        running.put(gang.id(), placed);
        live.runs(placed);
      }
      case Decision.Preempt preempt -> {
        for (ClusterId victim : preempt.victims()) {
          GangRequest again = running.get(victim).request();
          end(live, victim, now);
          come(live, again);
        }
        waiting.replaceAll(
            one -> one.id().equals(preempt.gang()) ? one.withClaim(preempt.claim()) : one);
        waiting.stream().filter(one -> one.id().equals(preempt.gang())).forEach(live::waits);
      }
      case Decision.Wait wait -> waits++;
      case Decision.Refuse refuse -> live.served(take(refuse.gang()).id());
      default -> throw new AssertionError("nothing else is to be done here: " + decision);
    }
  }
}

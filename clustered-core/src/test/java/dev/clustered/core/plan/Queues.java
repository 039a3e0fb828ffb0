// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.NOW;
import static dev.clustered.core.plan.Scenario.gpus;

import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Collects queues and their gangs for a test, in few words. */
final class Queues {

  static final Duration HALF_LIFE = Duration.ofDays(7);

  final List<QueueShare> shares = new ArrayList<>();
  final List<RunningGang> running = new ArrayList<>();
  final List<GangRequest> waiting = new ArrayList<>();
  final List<LaunchView> launches = new ArrayList<>();
  final List<QueueUse> uses = new ArrayList<>();

  static QueueShare share(String name, String parent, int gpus) {
    return new QueueShare(name, parent, gpus(gpus));
  }

  static Resources ofModel(String model, int gpus) {
    return new Resources(gpus, model, 0, ByteSize.ZERO);
  }

  static Total demand(int gpus) {
    return Total.of(gpus(gpus));
  }

  /** A gang of one-GPU ranks. */
  static GangRequest gang(String id, String queue, int gpus) {
    return gang(id, queue, gpus, NOW);
  }

  static GangRequest gang(String id, String queue, int gpus, Instant queuedAt) {
    Need need =
        new Need(Optional.empty(), Optional.empty(), Optional.of(gpus(1)), Optional.empty());
    return new GangRequest(new ClusterId(id), queuedAt, List.of(new Role(Role.ONLY, gpus, need)))
        .withTerms(Terms.DEFAULT.withQueue(queue).preemptibleByOthers());
  }

  static RunningGang running(String id, String queue, int gpus) {
    return running(gang(id, queue, gpus), gpus(1));
  }

  /** A gang each rank of which takes the same. */
  static RunningGang running(GangRequest gang, Resources each) {
    List<Member> members =
        IntStream.range(0, gang.nodes())
            .mapToObj(
                r ->
                    new Member(
                        r,
                        Role.ONLY,
                        new Holding(new NodeId(gang.id() + "-" + r), each, List.of())))
            .toList();
    return new RunningGang(gang, members, NOW, Optional.empty());
  }

  Queues shares(QueueShare... more) {
    shares.addAll(List.of(more));
    return this;
  }

  Queues running(RunningGang... more) {
    running.addAll(List.of(more));
    return this;
  }

  Queues waiting(GangRequest... more) {
    waiting.addAll(List.of(more));
    return this;
  }

  Queues uses(QueueUse... more) {
    uses.addAll(List.of(more));
    return this;
  }

  QueueTree tree() {
    return new QueueTree(shares, HALF_LIFE);
  }

  Snapshot snapshot() {
    return snapshot(List.of());
  }

  Snapshot snapshot(List<NodeView> nodes) {
    return new Snapshot(
        NOW,
        nodes,
        launches,
        List.of(),
        waiting,
        List.of(),
        new PlanPolicy(Scenario.IDLE_TIME).withQueues(tree()),
        running,
        uses);
  }

  Quotas quotas() {
    return new Quotas(tree(), snapshot());
  }

  /** The gangs in the order in which they are served when each gets what it asks. */
  List<String> served() {
    Quotas quotas = quotas();
    Turns turns = new Turns(Waiting.of(waiting), quotas, Collections.emptySet());
    List<String> order = new ArrayList<>();
    for (var next = turns.next(); next.isPresent(); next = turns.next()) {
      quotas.charge(next.get(), quotas.least(next.get()));
      order.add(next.get().id().value());
    }
    return order;
  }
}

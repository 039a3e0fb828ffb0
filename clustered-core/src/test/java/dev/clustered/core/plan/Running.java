// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Scenario.NOW;

import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Collects what runs for a test, beside the scenario that has the rest. */
final class Running {

  static final Instant STARTED = NOW.minus(Duration.ofHours(1));

  final Scenario scenario = new Scenario();
  final List<RunningGang> gangs = new ArrayList<>();
  PlanPolicy policy = new PlanPolicy(Scenario.IDLE_TIME);

  /** Nodes {@code r1-1}, {@code r1-2} … in a rack of zone z. */
  static NodeView[] rack(String rack, int nodes) {
    return IntStream.rangeClosed(1, nodes)
        .mapToObj(i -> inRack(rack, rack + "-" + i))
        .toArray(NodeView[]::new);
  }

  static NodeView inRack(String rack, String id) {
    return Scenario.at(id, Scenario.GPU, TopologyPath.of("zone", "z", "rack", rack, "host", id));
  }

  Running nodes(NodeView... more) {
    scenario.nodes(more);
    return this;
  }

  /** A gang on whole nodes, one rank each; the nodes after its last rank are its spares. */
  Running runs(GangRequest request, String... nodes) {
    return runs(request, Optional.empty(), nodes);
  }

  Running runs(GangRequest request, Optional<Instant> end, String... nodes) {
    List<Member> members = new ArrayList<>();
    List<Holding> spares = new ArrayList<>();
    for (Role role : request.roles()) {
      for (int i = 0; i < role.nodes(); i++) {
        members.add(
            new Member(members.size(), role.name(), hold(nodes[members.size()], role.need())));
      }
    }
    for (int i = members.size(); i < nodes.length; i++) {
      spares.add(hold(nodes[i], request.need()));
    }
    gangs.add(
        new RunningGang(
            request, members, spares, STARTED, end, RunningGang.Phase.RUNNING, Optional.empty()));
    return this;
  }

  private Holding hold(String id, Need need) {
    NodeView node = node(id);
    dev.clustered.model.Resources takes = need.takes(node.shape());
    List<Integer> gpus = node.freeGpus().subList(0, takes.gpus());
    replace(Scenario.used(node, takes));
    return new Holding(node.id(), takes, gpus);
  }

  NodeView node(String id) {
    return scenario.nodes.stream()
        .filter(node -> node.id().equals(new NodeId(id)))
        .findFirst()
        .orElseThrow();
  }

  void replace(NodeView node) {
    scenario.nodes.replaceAll(other -> other.id().equals(node.id()) ? node : other);
  }

  /** Nodes whose agents fell silent. */
  Running lost(String... ids) {
    return health(NodeHealth.LOST, ids);
  }

  Running health(NodeHealth health, String... ids) {
    for (String id : ids) {
      replace(Scenario.in(node(id), health));
    }
    return this;
  }

  /** Nodes of which nobody knows any more. */
  Running gone(String... ids) {
    for (String id : ids) {
      scenario.nodes.remove(node(id));
    }
    return this;
  }

  Snapshot snapshot() {
    return new Snapshot(
        NOW,
        scenario.nodes,
        scenario.launches,
        scenario.offers,
        scenario.waiting,
        scenario.coolDowns,
        policy,
        gangs,
        List.of());
  }

  List<Decision> plan() {
    return Planner.plan(snapshot()).decisions();
  }
}

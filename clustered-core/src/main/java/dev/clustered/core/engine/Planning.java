// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.lifecycle.RankLife;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Holding;
import dev.clustered.core.plan.LaunchView;
import dev.clustered.core.plan.Layout;
import dev.clustered.core.plan.Member;
import dev.clustered.core.plan.Need;
import dev.clustered.core.plan.NodeHealth;
import dev.clustered.core.plan.NodeView;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.Role;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.core.plan.Snapshot;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.PoolNode;
import dev.clustered.model.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Makes the planner's snapshot of the engine's state. */
final class Planning {

  private Planning() {}

  /**
   * The snapshot.
   *
   * @param nodes those of the state that there can be a plan for
   */
  static Snapshot snapshot(
      EngineState state,
      List<NodeLife> nodes,
      List<Offer> offers,
      Duration idleNodeTime,
      Instant now) {
    List<GangRequest> waiting = new ArrayList<>();
    for (ClusterRecord cluster : state.clusters.values()) {
      if (waits(cluster.life)) {
        waiting.add(request(cluster.life.request()));
      }
    }
    List<NodeView> views = new ArrayList<>(nodes.stream().map(Planning::view).toList());
    Set<NodeId> known = new TreeSet<>();
    views.forEach(view -> known.add(view.id()));
    List<RunningGang> running = new ArrayList<>();
    for (ClusterRecord cluster : state.clusters.values()) {
      // Where a lost node was, and of which shape, says where another one may be.
      lacking(cluster).filter(lost -> known.add(lost.id())).map(Planning::view).forEach(views::add);
      if (isWhole(cluster.life, known)) {
        running.add(running(cluster, state));
      }
    }
    return new Snapshot(
        now,
        views,
        state.launches.values().stream().map(Planning::view).toList(),
        offers,
        waiting,
        List.copyOf(state.coolDowns),
        new PlanPolicy(idleNodeTime),
        running,
        List.of());
  }

  /** Whether all its nodes are known: one that is left out of the plan would count as lost. */
  private static boolean isWhole(ClusterLife life, Set<NodeId> known) {
    return !life.ranks().isEmpty()
        && life.ranks().stream()
            .filter(life::goesOn)
            .allMatch(rank -> known.contains(rank.settled().node()))
        && life.tries().joining().stream().allMatch(next -> known.contains(next.slot().node()))
        && life.spares().stream().allMatch(spare -> known.contains(spare.slot().node()));
  }

  private static Stream<NodeLife> lacking(ClusterRecord cluster) {
    return cluster.life.ranks().stream()
        .filter(rank -> rank.lacksNode() && cluster.life.goesOn(rank))
        .flatMap(rank -> Optional.ofNullable(cluster.lost.get(rank.node())).stream());
  }

  private static RunningGang running(ClusterRecord cluster, EngineState state) {
    ClusterLife life = cluster.life;
    GangRequest request = request(life.request());
    List<Member> members = new ArrayList<>();
    for (RankLife rank : life.ranks()) {
      if (life.goesOn(rank)) {
        members.add(
            new Member(rank.rank(), role(life, rank), holding(cluster, rank.settled(), state)));
      }
    }
    for (RankLife.Next more : life.tries().joining()) {
      int rank = members.getLast().rank() + 1;
      members.add(new Member(rank, Role.ONLY, holding(cluster, more.slot(), state)));
    }
    List<Holding> spares =
        life.spares().stream().map(s -> holding(cluster, s.slot(), state)).toList();
    Instant started = life.placedAt().orElse(life.request().at());
    return new RunningGang(
        request,
        members,
        spares,
        started,
        Optional.empty(), // A time limit counts from when the workload runs.
        phase(life),
        Optional.empty());
  }

  private static String role(ClusterLife life, RankLife rank) {
    return life.request()
        .spec()
        .role(rank.rank())
        .map(dev.clustered.model.Role::name)
        .orElse(Role.ONLY);
  }

  private static Holding holding(ClusterRecord cluster, Fact.Slot slot, EngineState state) {
    Resources whole =
        state
            .node(slot.node())
            .or(() -> Optional.ofNullable(cluster.lost.get(slot.node())))
            .map(node -> node.offer().shape().resources())
            .orElse(Resources.NONE);
    Optional<Resources> each = cluster.life.request().spec().resources();
    return new Holding(slot.node(), each.orElse(whole), slot.gpus());
  }

  private static RunningGang.Phase phase(ClusterLife life) {
    boolean ends = life.verdict().isPresent() || life.requeuing();
    if (ends) {
      return RunningGang.Phase.ENDING;
    }
    if (life.state() == ClusterState.RESTARTING) {
      return RunningGang.Phase.RESTARTING;
    }
    // A rank that had ended well before its node was lost needs no other.
    return life.lacksNode() ? RunningGang.Phase.FINISHING : RunningGang.Phase.RUNNING;
  }

  /** Whether it holds nothing yet and is to be planned. */
  static boolean waits(ClusterLife life) {
    boolean early =
        life.state() == ClusterState.QUEUED
            || (life.state() == ClusterState.PLACED && life.ranks().isEmpty());
    return early && life.verdict().isEmpty();
  }

  /** Whether it goes on as soon as it has other nodes for those that it lost. */
  static boolean lacksNode(ClusterLife life) {
    return life.verdict().isEmpty()
        && life.state() == ClusterState.RESTARTING
        && !life.requeuing()
        && life.lacksNode();
  }

  /** Whether it could get a spare that it lacks, and did not fail to get one just now. */
  static boolean lacksSpare(ClusterRecord cluster, Instant now) {
    return cluster.life.lacksSpare() && !cluster.spares.rests(now);
  }

  /** The same with one more launch, the last that has come. */
  static Snapshot with(Snapshot snapshot, Fact.Submitted launch) {
    List<GangRequest> waiting = new ArrayList<>(snapshot.waiting());
    waiting.add(request(launch));
    return new Snapshot(
        snapshot.now(),
        snapshot.nodes(),
        snapshot.launches(),
        snapshot.offers(),
        waiting,
        snapshot.coolDowns(),
        snapshot.policy(),
        snapshot.running(),
        snapshot.uses());
  }

  private static GangRequest request(Fact.Submitted asked) {
    Need need =
        new Need(asked.backend(), asked.spec().shape(), asked.spec().resources(), asked.rdma());
    return new GangRequest(asked.cluster(), asked.at(), roles(asked.spec(), need))
        .withSpares(asked.spec().spares());
  }

  /** All of one need, so that one launch is enough for all of them. */
  private static List<Role> roles(ClusterSpec spec, Need need) {
    if (spec.roles().isEmpty()) {
      int most = spec.nodes();
      return List.of(new Role(Role.ONLY, most, spec.minimumNodes(), need, Layout.ANY));
    }
    return spec.roles().stream().map(role -> new Role(role.name(), role.nodes(), need)).toList();
  }

  private static LaunchView view(Fact.LaunchDecided launch) {
    return new LaunchView(
        launch.launch(),
        launch.cluster(),
        launch.offer(),
        launch.nodes().size(),
        Optional.of(launch.at()));
  }

  private static NodeView view(NodeLife node) {
    return new NodeView(
        node.id(),
        node.offer().backend(),
        node.offer().shape(),
        node.topology(),
        node.free(),
        health(node.state()),
        node.freeGpus(),
        node.holders().size(),
        node.idleSince(),
        node.launch());
  }

  private static NodeHealth health(PoolNode.State state) {
    return switch (state) {
      case READY -> NodeHealth.READY;
      case BOOTING -> NodeHealth.BOOTING;
      case LOST -> NodeHealth.LOST;
      case ENDING -> NodeHealth.CORDONED;
    };
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.plan;

import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Holding;
import dev.clustered.core.plan.Layout;
import dev.clustered.core.plan.Member;
import dev.clustered.core.plan.NodeHealth;
import dev.clustered.core.plan.NodeView;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.Role;
import dev.clustered.core.plan.RunningGang;
import dev.clustered.core.plan.Scheduler;
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
import java.util.Optional;
import java.util.stream.IntStream;

/** Pools of racks with a hundred nodes of eight GPUs each, and gangs that want one rack. */
final class Racks {

  static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  private static final int NODES_OF_A_RACK = 100;
  private static final Shape SHAPE =
      new Shape("gpu8", new Resources(8, "H200", 64, ByteSize.gibibytes(1024)), 8, 3200);
  private static final List<Integer> GPUS = IntStream.range(0, 8).boxed().toList();
  private static final Resources SMALL = new Resources(0, "", 1, ByteSize.gibibytes(1));

  private static final Resources ONE_GPU = new Resources(1, "", 0, ByteSize.ZERO);

  private Racks() {}

  /** A scheduler over so many free nodes. */
  static Scheduler scheduler(int nodes) {
    return scheduler(free(nodes));
  }

  static Scheduler scheduler(List<NodeView> nodes) {
    Scheduler scheduler = new Scheduler(new PlanPolicy(Duration.ofHours(1)));
    nodes.forEach(scheduler::node);
    return scheduler;
  }

  static List<NodeView> free(int nodes) {
    List<NodeView> free = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      free.add(node(node, SHAPE.resources(), GPUS, 0));
    }
    return free;
  }

  /** A node of which a number of holders have a CPU and a GiB each. */
  static NodeView held(int node, int holders) {
    Resources left = new Resources(8, "H200", 64 - holders, ByteSize.gibibytes(1024 - holders));
    return node(node, left, GPUS, holders);
  }

  private static NodeView node(int number, Resources free, List<Integer> gpus, int holders) {
    String rack = "r%02d".formatted(number / NODES_OF_A_RACK);
    String host = "n%05d".formatted(number);
    return new NodeView(
        id(number),
        "local",
        SHAPE,
        TopologyPath.of("zone", "z", "rack", rack, "host", host),
        free,
        NodeHealth.READY,
        gpus,
        holders,
        holders == 0 ? Optional.of(NOW) : Optional.empty(),
        new LaunchId("l"));
  }

  /** A gang of small ranks, each on a node of its own, all in one rack where there is one. */
  static GangRequest gang(int number, int nodes) {
    Layout layout = nodes <= NODES_OF_A_RACK ? Layout.ANY.withRequired("rack") : Layout.ANY;
    return new GangRequest(
            new ClusterId("g-" + number),
            nodes,
            Optional.empty(),
            Optional.of(SMALL),
            Optional.empty(),
            Optional.empty(),
            NOW)
        .withLayout(layout);
  }

  /** A gang of whole nodes, in one domain of a level if one is named. */
  static GangRequest wholeNodes(String name, int nodes, Optional<String> level) {
    return new GangRequest(
            new ClusterId(name),
            nodes,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            NOW)
        .withLayout(level.map(Layout.ANY::withRequired).orElse(Layout.ANY));
  }

  /** A gang of one rank with one GPU. */
  static GangRequest oneGpu(String name) {
    return new GangRequest(
        new ClusterId(name),
        1,
        Optional.empty(),
        Optional.of(ONE_GPU),
        Optional.empty(),
        Optional.empty(),
        NOW);
  }

  /** A gang of whole nodes that has them, from a number on; it ends at its time limit. */
  static RunningGang running(GangRequest gang, int firstNode, Instant since) {
    List<Member> members = new ArrayList<>();
    for (int rank = 0; rank < gang.nodes(); rank++) {
      Holding held = new Holding(id(firstNode + rank), SHAPE.resources(), GPUS);
      members.add(new Member(rank, Role.ONLY, held));
    }
    return new RunningGang(gang, members, since, gang.terms().timeLimit().map(since::plus));
  }

  /** A gang of one GPU that has it. */
  static RunningGang runningOneGpu(GangRequest gang, int node, int gpu, Instant since) {
    Member member = new Member(0, Role.ONLY, new Holding(id(node), ONE_GPU, List.of(gpu)));
    return new RunningGang(gang, List.of(member), since, Optional.empty());
  }

  /** A gang of one rank with a CPU and a GiB that has them. */
  static RunningGang runningSmall(String name, int node, Instant since) {
    GangRequest gang =
        new GangRequest(
            new ClusterId(name),
            1,
            Optional.empty(),
            Optional.of(SMALL),
            Optional.empty(),
            Optional.empty(),
            since);
    Member member = new Member(0, Role.ONLY, new Holding(id(node), SMALL, List.of()));
    return new RunningGang(gang, List.of(member), since, Optional.empty());
  }

  private static NodeId id(int node) {
    return new NodeId("n%05d".formatted(node));
  }

  /** Stops when a plan does anything but place whole gangs: then it measured something else. */
  static void requirePlaced(Plan plan, int gangs) {
    long placed = plan.decisions().stream().filter(d -> d instanceof Decision.Place).count();
    if (placed != gangs || plan.decisions().size() != gangs) {
      throw new IllegalStateException(
          "%d of %d gangs were placed by %d decisions"
              .formatted(placed, gangs, plan.decisions().size()));
    }
  }
}

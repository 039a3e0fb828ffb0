// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.optimum;

import dev.clustered.core.plan.Decision;
import dev.clustered.core.plan.GangRequest;
import dev.clustered.core.plan.Layout;
import dev.clustered.core.plan.NodeHealth;
import dev.clustered.core.plan.NodeView;
import dev.clustered.core.plan.Plan;
import dev.clustered.core.plan.PlanPolicy;
import dev.clustered.core.plan.Planner;
import dev.clustered.core.plan.Snapshot;
import dev.clustered.core.plan.Terms;
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

/** What the planner does with racks and gangs. */
final class Planned {

  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final Shape SHAPE =
      new Shape("gpu8", new Resources(8, "H200", 64, ByteSize.gibibytes(1024)), 8, 3200);
  private static final List<Integer> GPUS = IntStream.range(0, 8).boxed().toList();
  private static final Terms AN_HOUR = Terms.DEFAULT.withTimeLimit(Duration.ofHours(1));

  private Planned() {}

  /** How many nodes one plan gives to gangs. */
  static int nodes(RackCase racks) {
    Plan plan = Planner.plan(snapshot(racks));
    return plan.decisions().stream()
        .filter(Decision.Place.class::isInstance)
        .map(Decision.Place.class::cast)
        .mapToInt(place -> place.assignments().size())
        .sum();
  }

  static Snapshot snapshot(RackCase racks) {
    List<NodeView> nodes = new ArrayList<>();
    for (int rack = 0; rack < racks.racks().size(); rack++) {
      for (int node = 0; node < racks.racks().get(rack); node++) {
        nodes.add(node("r%02d".formatted(rack), "r%02d-n%02d".formatted(rack, node)));
      }
    }
    List<GangRequest> gangs = new ArrayList<>();
    for (int gang = 0; gang < racks.gangs().size(); gang++) {
      gangs.add(gang("g-%02d".formatted(gang), racks.gangs().get(gang)));
    }
    return new Snapshot(
        NOW, nodes, List.of(), List.of(), gangs, List.of(), new PlanPolicy(Duration.ofHours(1)));
  }

  private static NodeView node(String rack, String host) {
    return new NodeView(
        new NodeId(host),
        "local",
        SHAPE,
        TopologyPath.of("zone", "z", "rack", rack, "host", host),
        SHAPE.resources(),
        NodeHealth.READY,
        GPUS,
        0,
        Optional.of(NOW),
        new LaunchId("l"));
  }

  private static GangRequest gang(String name, int nodes) {
    return new GangRequest(
            new ClusterId(name),
            nodes,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            NOW)
        .withLayout(Layout.ANY.withRequired("rack"))
        .withTerms(AN_HOUR);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.replay;

import dev.clustered.core.plan.NodeHealth;
import dev.clustered.core.plan.NodeView;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Pools of free nodes of one shape, in racks of so many. */
final class Nodes {

  private Nodes() {}

  static List<NodeView> free(Shape shape, int nodes, int nodesOfRack) {
    List<NodeView> free = new ArrayList<>();
    List<Integer> gpus = IntStream.range(0, shape.resources().gpus()).boxed().toList();
    for (int node = 0; node < nodes; node++) {
      String rack = "r%03d".formatted(node / nodesOfRack);
      String host = "n%05d".formatted(node);
      free.add(
          new NodeView(
              new NodeId(host),
              "local",
              shape,
              TopologyPath.of("zone", "z", "rack", rack, "host", host),
              shape.resources(),
              NodeHealth.READY,
              gpus,
              0,
              Optional.of(ByPlanner.at(0)),
              new LaunchId("l")));
    }
    return free;
  }
}

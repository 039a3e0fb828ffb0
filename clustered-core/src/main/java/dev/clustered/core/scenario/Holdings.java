// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Holding;
import dev.clustered.core.plan.Need;
import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Gives gangs that run at first their parts of nodes, the lowest GPUs that are left. */
final class Holdings {

  private final World world;
  private final Map<NodeId, Left> left = new TreeMap<>();

  /** What nobody has taken of a node. */
  private record Left(Resources resources, List<Integer> gpus) {}

  Holdings(World world) {
    this.world = world;
  }

  /** A part of a node, for a rank or a spare that the fields name. */
  Holding take(Fields fields, String field, NodeId node, Need need) {
    if (!world.machines.containsKey(node)) {
      throw fields.refuse(field, "there is no node " + node, "add it to the pool");
    }
    Machine machine = world.machine(node);
    Resources takes = World.takes(need, machine);
    Left before = left.computeIfAbsent(node, id -> whole(machine));
    if (!before.resources().holds(takes)) {
      throw fields.refuse(
          field,
          "node %s has %s left, and %s are taken".formatted(node, before.resources(), takes),
          "take no more than it has");
    }
    List<Integer> taken = before.gpus().subList(0, takes.gpus());
    left.put(
        node,
        new Left(
            before.resources().minus(takes),
            before.gpus().subList(takes.gpus(), before.gpus().size())));
    return new Holding(node, takes, taken);
  }

  private static Left whole(Machine machine) {
    Resources all = machine.shape().resources();
    return new Left(
        all.minus(machine.used()),
        IntStream.range(machine.used().gpus(), all.gpus()).boxed().toList());
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Small pools with racks, and gangs of random roles, sizes, layouts, spares and ways. */
final class RandomGangs {

  private static final List<Shape> SHAPES = List.of(Scenario.SMALL, Scenario.GPU, Scenario.FAST);

  private final Random random;
  private final int mostNodes;
  private final int mostRanks;

  RandomGangs(long seed, int mostNodes, int mostRanks) {
    this.random = new Random(seed);
    this.mostNodes = mostNodes;
    this.mostRanks = mostRanks;
  }

  private <T> T one(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private boolean oneIn(int number) {
    return random.nextInt(number) == 0;
  }

  Snapshot snapshot(int mostGangs) {
    Scenario scenario = new Scenario();
    int nodes = 1 + random.nextInt(mostNodes);
    for (int i = 0; i < nodes; i++) {
      scenario.nodes(node("n%02d".formatted(i)));
    }
    int gangs = 1 + random.nextInt(mostGangs);
    for (int i = 0; i < gangs; i++) {
      scenario.gangs(gang("g" + i));
    }
    return scenario.snapshot();
  }

  private NodeView node(String id) {
    Shape shape = oneIn(2) ? Scenario.GPU : one(SHAPES);
    String zone = oneIn(5) ? "y" : "z";
    String fabric = zone + one(List.of("f1", "f2"));
    String rack = fabric + one(List.of("r1", "r2"));
    TopologyPath path =
        shape.equals(Scenario.SMALL)
            ? TopologyPath.of("zone", zone, "host", id)
            : TopologyPath.of("zone", zone, "fabric", fabric, "rack", rack, "host", id);
    NodeView node = Scenario.at(id, shape, path);
    if (oneIn(3)) {
      node = node.withAttributes(Map.of("disk", "nvme"));
    }
    if (oneIn(6)) {
      node = node.withTaints(Set.of("old"));
    }
    if (oneIn(4)) {
      node = Scenario.used(node, Scenario.cpus(1 + random.nextInt(16)));
    } else if (oneIn(4) && shape.resources().gpus() > 0) {
      node = Scenario.used(node, Scenario.gpus(1 + random.nextInt(8)));
    }
    return node;
  }

  private GangRequest gang(String id) {
    List<List<Role>> alternatives = new ArrayList<>();
    Layout layout = layout(2);
    List<Role> roles = roles(layout);
    if (oneIn(4)) {
      alternatives.add(roles(layout));
    }
    return Scenario.gang(id, 1)
        .withRoles(roles)
        .withAlternatives(alternatives)
        .withSpares(oneIn(4) ? 1 + random.nextInt(2) : 0)
        .withLayout(layout);
  }

  private List<Role> roles(Layout layout) {
    if (layout.ordered()) { // Of the whole gang: all its ranks need the same.
      int block = layout.blocks().isEmpty() ? 1 : layout.blocks().getFirst().ranks();
      Need need = need();
      List<Role> roles = new ArrayList<>();
      roles.add(role("a", need, block, Layout.ANY));
      if (oneIn(3)) {
        roles.add(role("b", need, block, Layout.ANY));
      }
      return roles;
    }
    List<Role> roles = new ArrayList<>();
    int count = oneIn(2) ? 1 : 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      Layout own = oneIn(3) ? layout(3) : Layout.ANY;
      int block = own.blocks().isEmpty() ? 1 : own.blocks().getFirst().ranks();
      roles.add(role("role" + i, need(), block, own));
    }
    return roles;
  }

  private Role role(String name, Need need, int block, Layout own) {
    int most = block * (1 + random.nextInt(Math.max(1, mostRanks / block)));
    int least = oneIn(3) ? block * (1 + random.nextInt(most / block)) : most;
    return new Role(name, most, least, need, own);
  }

  private Need need() {
    Optional<Resources> each =
        switch (random.nextInt(4)) {
          case 0 -> Optional.empty();
          case 1 -> Optional.of(Scenario.cpus(1 + random.nextInt(8)));
          default -> Optional.of(Scenario.gpus(1 + random.nextInt(5)));
        };
    boolean rdma = oneIn(5);
    Need need =
        new Need(Optional.empty(), Optional.empty(), each, rdma ? Scenario.RDMA : Optional.empty());
    if (oneIn(4)) {
      need = need.withAttribute("disk", "nvme");
    }
    if (oneIn(3)) {
      need = need.withToleration("old");
    }
    return each.isPresent() && !rdma && oneIn(2) ? need.withPerNode(1 + random.nextInt(4)) : need;
  }

  private Layout layout(int rarity) {
    Layout layout = Layout.ANY;
    if (oneIn(rarity)) {
      layout = layout.withRequired(one(List.of("zone", "fabric", "rack")));
    }
    if (oneIn(3)) {
      layout = layout.withPreferred(one(List.of("fabric", "rack")));
    }
    return switch (random.nextInt(3 * rarity)) {
      case 0 -> layout.withBlocks(one(List.of("fabric", "rack", "host")), 2);
      case 1 -> layout.withSpread(one(List.of("rack", "host")), 1 + random.nextInt(2));
      case 2 -> layout.balanced(one(List.of("fabric", "rack", "host")));
      case 3 -> layout.withBlocks("fabric", 4).withBlocks("rack", 2);
      default -> layout;
    };
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.core.plan.Decision;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.List;

/** More for a running gang: the nodes of its new ranks, in rank order, and of new spares. */
record GrowWish(List<NodeId> ranks, List<NodeId> spares) implements Wish {

  GrowWish {
    ranks = List.copyOf(ranks);
    spares = List.copyOf(spares);
  }

  @Override
  public Class<? extends Decision> kind() {
    return Decision.Grow.class;
  }

  @Override
  public List<String> wrong(Decision decision, World world) {
    Decision.Grow grow = (Decision.Grow) decision;
    List<String> wrong = new ArrayList<>();
    List<NodeId> gotRanks = Wish.nodesOf(grow.assignments());
    List<NodeId> gotSpares = Wish.nodesOf(grow.spares());
    if (!ranks.equals(gotRanks)) {
      wrong.add("expected %s as more ranks, got %s".formatted(ranks, gotRanks));
    }
    if (!spares.equals(gotSpares)) {
      wrong.add("expected %s as more spares, got %s".formatted(spares, gotSpares));
    }
    return wrong;
  }
}

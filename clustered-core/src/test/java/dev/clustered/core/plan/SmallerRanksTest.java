// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static dev.clustered.core.plan.Counterfactuals.cheapest;
import static dev.clustered.core.plan.Counterfactuals.racks;
import static dev.clustered.core.plan.Scenario.FAST;
import static dev.clustered.core.plan.Scenario.GPU;
import static dev.clustered.core.plan.Scenario.gang;
import static dev.clustered.core.plan.Scenario.node;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When a gang would start if its ranks took less of their nodes. */
class SmallerRanksTest {

  @Test
  void isSmallerRanksWhereOnlyWholeNodesAreLacking() {
    Running pool = racks();
    for (String id : List.of("r1-1", "r1-2", "r2-1", "r2-2")) {
      pool.replace(Scenario.used(pool.node(id), Scenario.gpus(1)));
    }
    pool.scenario.gangs(gang("g", 4));
    assertThat(cheapest(pool, "g"))
        .isEqualTo(
            "with 7 × H200, 14 CPUs, 56 GiB for each rank of the role worker instead of a whole"
                + " node, it starts now");
    pool.scenario.waiting.clear();
    pool.scenario.gangs(Scenario.each(gang("part", 4), Queues.ofModel("H200", 8)));
    assertThat(cheapest(pool, "part"))
        .isEqualTo(
            "with 7 × H200, 0 CPUs, 0 B for each rank of the role worker instead of 8 × H200, 0"
                + " CPUs, 0 B, it starts now");
  }

  @Test
  void isWhicheverLeavesMoreOfFewerAndSmallerRanks() {
    Running pool = racks();
    for (String id : List.of("r1-1", "r1-2", "r2-1")) {
      pool.replace(Scenario.used(pool.node(id), Scenario.gpus(5)));
    }
    pool.scenario.gangs(gang("g", 2));
    assertThat(cheapest(pool, "g"))
        .as("one of two nodes leaves half, three of eight GPUs less")
        .isEqualTo("with 1 node instead of 2 for the role worker, it starts now");
    pool.scenario.waiting.clear();
    for (String id : List.of("r1-1", "r1-2", "r2-1")) {
      pool.replace(Scenario.at(id, GPU, pool.node(id).topology()));
      pool.replace(Scenario.used(pool.node(id), Scenario.gpus(4)));
    }
    pool.scenario.gangs(gang("h", 4));
    assertThat(cheapest(pool, "h"))
        .as("half of the GPUs leaves more than one node of four")
        .contains("with 4 × H200, 8 CPUs, 32 GiB for each rank");
  }

  @Test
  void neverMakesRanksSmallerThatTakeWholeNodesForTheirFabric() {
    Scenario pool =
        new Scenario().nodes(Scenario.used(node("n", FAST, "z", "f"), Scenario.gpus(1)));
    pool.gangs(Scenario.rdma(gang("g", 1)));
    assertThat(cheapest(pool.snapshot(), "g")).doesNotContain("for each rank");
  }
}

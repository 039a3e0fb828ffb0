// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SoundNodesTest {

  private final List<String> warnings = new ArrayList<>();
  private final SoundNodes nodes = new SoundNodes(warnings::add);

  private static NodeLife node(String id, String backend, String... levels) {
    Offer offer =
        new Offer(
            backend,
            new Shape("s", Resources.NONE, 0, 0),
            "z",
            Market.ON_DEMAND,
            BigDecimal.ZERO,
            Duration.ZERO,
            1);
    TopologyPath path =
        new TopologyPath(
            List.of(levels).stream().map(level -> new TopologyPath.Level(level, "v")).toList());
    return NodeLife.granted(
        new LaunchId("l"), offer, new Fact.Granted(new NodeId(id), "i-" + id, path));
  }

  private static List<String> ids(List<NodeLife> lives) {
    return lives.stream().map(life -> life.id().value()).toList();
  }

  @Test
  void leavesOutWhatContradictsTheNodesBeforeAndSaysSoOnce() {
    NodeLife first = node("n1", "b", "zone", "block", "rack");
    NodeLife turned = node("n2", "b", "zone", "rack", "block");
    NodeLife shorter = node("n3", "b", "zone", "rack");
    NodeLife elsewhere = node("n4", "c", "zone", "rack", "block");
    List<NodeLife> all = List.of(first, turned, shorter, elsewhere);

    for (int plan = 0; plan < 3; plan++) {
      SoundNodes.Apart apart = nodes.apart(all);
      assertThat(ids(apart.sound())).containsExactly("n1", "n3", "n4");
      assertThat(ids(apart.others())).containsExactly("n2");
    }
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("node n2 has the level rack around block, and another node of b has it inside")
        .endsWith("received: zone=v/rack=v/block=v");

    assertThat(ids(nodes.apart(List.of(turned, shorter)).sound())).containsExactly("n2", "n3");
    nodes.apart(all);
    assertThat(warnings).hasSize(2);
  }

  @Test
  void namesThoseThatNobodyHolds() {
    NodeLife first = node("n1", "b", "zone", "rack");
    NodeLife held = node("n2", "b", "rack", "zone");
    NodeLife idle = node("n3", "b", "rack", "zone").joined("a", Instant.EPOCH);

    assertThat(nodes.apart(List.of(first, held, idle)).idle()).containsExactly(new NodeId("n3"));
  }
}

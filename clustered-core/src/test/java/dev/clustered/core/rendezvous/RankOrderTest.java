// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.clustered.model.NodeId;
import dev.clustered.model.TopologyPath;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RankOrderTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final NodeId D = new NodeId("d");

  private static TopologyPath rack(String rack) {
    return TopologyPath.of("zone", "z", "rack", rack);
  }

  @Test
  void putsTheNodesOfARackNextToOneAnother() {
    assertThat(RankOrder.byTopology(Map.of(A, rack("2"), B, rack("1"), C, rack("2"), D, rack("1"))))
        .containsExactly(B, D, A, C);
  }

  @Test
  void givesAReplacementTheRankOfWhatItReplaces() {
    assertThat(RankOrder.replaced(List.of(C, A, B), Map.of(A, D))).containsExactly(C, D, B);
  }

  @Test
  void keepsTheOrderWithoutReplacements() {
    assertThat(RankOrder.replaced(List.of(C, A, B), Map.of())).containsExactly(C, A, B);
  }

  @Test
  void refusesAStrangerAndANodeWithTwoRanks() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RankOrder.replaced(List.of(A, B), Map.of(C, D)))
        .withMessageContaining("node c is replaced and has no rank");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RankOrder.replaced(List.of(A, B), Map.of(A, B)))
        .withMessageContaining("node b would have two ranks");
  }

  @Test
  void bracketsOnlySixthVersionAddressesInAnEndpoint() {
    assertThat(Endpoint.of("127.0.1.1", 29_400)).isEqualTo("127.0.1.1:29400");
    assertThat(Endpoint.of("fd00::1", 29_400)).isEqualTo("[fd00::1]:29400");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Endpoint.of("127.0.1.1", 0))
        .withMessageContaining("received: 0");
  }
}

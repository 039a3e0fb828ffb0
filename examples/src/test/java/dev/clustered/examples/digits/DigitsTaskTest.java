// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.ClusterContext;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DigitsTaskTest {
  private static final TrainingOptions OPTIONS = TrainingOptions.ofEpochs(20);

  private final Ring ring = new Ring();

  @Test
  void givesEqualModelsOnAllRanksAndTheModelFromTheLeader() throws Exception {
    List<DigitsResult> results =
        ring.run(4, (rank, all) -> new DigitsTask().run(context(rank, all), OPTIONS));

    Mlp alone = Training.alone(DigitsData.load(OPTIONS.seed()), OPTIONS).run(r -> {}).model();
    assertThat(DigitsCheck.of(results, alone).problems()).isEmpty();
    assertThat(results).extracting(DigitsResult::rank).containsExactly(0, 1, 2, 3);
    assertThat(results)
        .extracting(result -> result.parameters().size())
        .containsExactly(Mlp.SIZE, 0, 0, 0);
  }

  private static ClusterContext context(int rank, List<InetAddress> addresses) {
    return ClusterContext.from(
        Map.of(
            "CLUSTERED_CLUSTER_ID", "test",
            "CLUSTERED_ATTEMPT", "1",
            "CLUSTERED_RANK", Integer.toString(rank),
            "CLUSTERED_SIZE", Integer.toString(addresses.size()),
            "CLUSTERED_ADDRESSES",
                addresses.stream()
                    .map(InetAddress::getHostAddress)
                    .collect(Collectors.joining(",")),
            "MASTER_PORT", Integer.toString(Ring.PORT),
            "CLUSTERED_GPUS_PER_NODE", "0"));
  }
}

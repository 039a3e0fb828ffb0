// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Launcher;
import dev.clustered.testkit.NothingLeft;
import dev.clustered.testkit.RealPart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("integration")
@ExtendWith(NothingLeft.class)
class ElasticTorchrunTest {

  /** Adds all worker ranks up, and says of each worker which it was and what came out. */
  private static final String SCRIPT =
      """
      import json
      import os

      import torch
      import torch.distributed

      torch.distributed.init_process_group("gloo")
      total = torch.tensor([torch.distributed.get_rank()])
      torch.distributed.all_reduce(total)
      mine = [int(os.environ["RANK"]), torch.distributed.get_world_size(), total.item()]
      gathered = [None] * torch.distributed.get_world_size()
      torch.distributed.all_gather_object(gathered, mine)
      if os.environ["LOCAL_RANK"] == "0":
          first = int(os.environ["RANK"])
          local = int(os.environ["LOCAL_WORLD_SIZE"])
          with open(os.environ["CLUSTERED_RESULT_FILE"], "w") as file:
              json.dump({"workers": gathered[first:first + local]}, file)
      torch.distributed.destroy_process_group()
      os._exit(0)
      """;

  /** The rank, the world size and the sum that each worker of a node saw. */
  record Workers(List<List<Integer>> workers) {}

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allWorkersOfAllNodesAreOneWorld(boolean elastic) throws Exception {
    String path = RealPart.executable("torchrun").require().getParent() + ":/bin";
    ClusterSpec spec =
        ClusterSpec.builder("one-world")
            .nodes(2)
            .launcher(elastic ? Launcher.elasticTorchrun() : Launcher.torchrun())
            .command("--nproc-per-node", "2", "train.py")
            .file("train.py", SCRIPT.getBytes(UTF_8))
            .environment("PATH", path)
            .environment("OMP_NUM_THREADS", "1")
            .grace(Duration.ofSeconds(5))
            .timeLimit(Duration.ofMinutes(5))
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      List<List<Integer>> all = new ArrayList<>();
      cluster.results(Workers.class).forEach(node -> all.addAll(node.workers()));
      assertThat(all)
          .containsExactlyInAnyOrder(
              List.of(0, 4, 6), List.of(1, 4, 6), List.of(2, 4, 6), List.of(3, 4, 6));
    }
  }
}

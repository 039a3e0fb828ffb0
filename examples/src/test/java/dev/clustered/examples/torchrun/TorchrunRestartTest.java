// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.backend.local.AgentPlace;
import dev.clustered.backend.local.LocalBackend;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Launcher;
import dev.clustered.model.RestartPolicy;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import dev.clustered.testkit.RealPart;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One run of real torchrun through a failed worker, a lost node, and a world that is smaller. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class TorchrunRestartTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Fails in a step at first, steps for ever the second time, and ends well the third time. */
  private static final String SCRIPT =
      """
      import os
      import time

      import torch
      import torch.distributed

      attempt = int(os.environ["CLUSTERED_ATTEMPT"])
      torch.distributed.init_process_group("gloo")
      rank = torch.distributed.get_rank()
      world = torch.distributed.get_world_size()

      def step():
          total = torch.tensor([1])
          torch.distributed.all_reduce(total)
          return total.item()

      print(f"attempt {attempt} rank {rank} counts {step()} of {world}", flush=True)
      if attempt == 1 and rank == 1:
          raise RuntimeError("a bad batch")
      while attempt < 3:
          step()
          time.sleep(0.05)
      """;

  private final List<ClusterEvent> heard = new CopyOnWriteArrayList<>();

  private long process(int attempt, int rank) {
    return Eventually.within(PATIENCE)
        .present(
            "the process of rank " + rank + " in attempt " + attempt,
            () ->
                heard.stream()
                    .filter(ClusterEvent.RankStarted.class::isInstance)
                    .map(ClusterEvent.RankStarted.class::cast)
                    .filter(s -> s.attempt() == attempt && s.rank() == rank)
                    .map(ClusterEvent.RankStarted::processId)
                    .findFirst());
  }

  /** The agent's JVM that a process descends from. */
  private static ProcessHandle agentOf(long process) {
    List<ProcessHandle> agents = ProcessHandle.current().children().toList();
    ProcessHandle above = ProcessHandle.of(process).orElseThrow();
    while (!agents.contains(above)) {
      above = above.parent().orElseThrow();
    }
    return above;
  }

  private static List<String> lines(Cluster cluster, int attempt) throws Exception {
    try (LogStream log = cluster.logs(LogQuery.all().ofAttempt(attempt))) {
      return log.lines().collect(Collectors.toList());
    }
  }

  private static List<String> counts(Cluster cluster, int attempt) throws Exception {
    return lines(cluster, attempt).stream()
        .filter(line -> line.contains("counts"))
        .map(line -> line.substring(line.indexOf("attempt")))
        .sorted()
        .toList();
  }

  @Test
  void aFailedWorkerRestartsAllAndALostNodeMakesTheWorldSmaller() throws Exception {
    String path = RealPart.executable("torchrun").require().getParent() + ":/bin";
    ClusterSpec spec =
        ClusterSpec.builder("through-it-all")
            .nodes(2, 3)
            .launcher(Launcher.elasticTorchrun())
            .command("--nproc-per-node", "1", "train.py")
            .file("train.py", SCRIPT.getBytes(UTF_8))
            .environment("PATH", path)
            .environment("OMP_NUM_THREADS", "1")
            .restart(RestartPolicy.upTo(2).withPause(Duration.ZERO, Duration.ZERO))
            .grace(Duration.ofSeconds(5))
            .timeLimit(Duration.ofMinutes(10))
            .build();
    try (ClusterEngine engine =
            Clusters.engine()
                .discovery(ClusterEngine.Builder.Discovery.OFF)
                .backend(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory())
                .open();
        Cluster cluster = engine.launch(spec).withRdma().withListener(heard::add).await()) {
      ProcessHandle agent = agentOf(process(2, 1));
      Eventually.within(PATIENCE).passes(() -> assertThat(counts(cluster, 2)).hasSize(3));
      assertThat(agent.destroyForcibly()).isTrue();
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      assertThat(exit.attempt()).isEqualTo(3);
      assertThat(counts(cluster, 1)).allMatch(line -> line.endsWith("counts 3 of 3"));
      assertThat(counts(cluster, 2)).allMatch(line -> line.endsWith("counts 3 of 3"));
      assertThat(counts(cluster, 3))
          .containsExactly("attempt 3 rank 0 counts 2 of 2", "attempt 3 rank 1 counts 2 of 2");
      assertThat(heard.stream().filter(ClusterEvent.AttemptFailed.class::isInstance))
          .extracting(event -> ((ClusterEvent.AttemptFailed) event).cause().code())
          .containsExactly(ErrorCode.RANK_FAILED, ErrorCode.NODE_LOST);
    }
  }
}

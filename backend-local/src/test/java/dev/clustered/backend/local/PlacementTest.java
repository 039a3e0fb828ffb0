// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.PendingCluster;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Node;
import dev.clustered.model.RankExit;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Single-node jobs and gangs, whole nodes and parts of nodes share one pool. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class PlacementTest {

  private static final Shape EIGHT_GPUS =
      new Shape("gpu8", new Resources(8, "LOCAL", 16, ByteSize.gibibytes(64)), 1, 400);

  /** Takes each GPU that the rank sees, which nobody else may have meanwhile, and gives it back. */
  private static final String TAKE_EVERY_GPU =
      """
      own=$(echo "$CLUSTERED_ADDRESSES" | cut -d, -f$((NODE_RANK + 1)))
      gpus=$(echo "$CUDA_VISIBLE_DEVICES" | tr , ' ')
      for gpu in $gpus; do mkdir "$UP/$own-$gpu" || exit 1; done
      echo "$CUDA_VISIBLE_DEVICES"
      sleep 0.2
      for gpu in $gpus; do rmdir "$UP/$own-$gpu" || exit 1; done
      """;

  @Test
  void noGpuIsEverGivenToTwoRanksAtATime() throws Exception {
    LocalBackend.Builder two = LocalBackend.builder().nodes(2).shape(EIGHT_GPUS);
    int[][] nodesAndGpus = {{1, 3}, {2, 2}, {1, 5}, {2, 4}, {1, 1}, {2, 3}, {1, 8}, {2, 1}};
    try (Meeting up = Meeting.open();
        ClusterEngine engine = engine(two)) {
      List<PendingCluster> launched = new ArrayList<>();
      for (int[] asked : nodesAndGpus) {
        ClusterSpec spec =
            shell(asked[0], TAKE_EVERY_GPU)
                .gpus(asked[1])
                .environment("UP", up.path())
                .environment("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7")
                .build();
        launched.add(engine.launch(spec).start());
      }
      for (int index = 0; index < launched.size(); index++) {
        Cluster cluster = launched.get(index).ready().get(1, TimeUnit.MINUTES);
        ClusterExit exit = cluster.join();
        assertThat(exit.success()).as("%s", exit).isTrue();
        for (RankExit rank : exit.ranks()) {
          assertThat(rank.logTail().strip().split(",")).hasSize(nodesAndGpus[index][1]);
        }
        cluster.close();
      }
      assertThat(up.present()).isEmpty();
      assertThat(engine.pool()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void twoGangsOfHalfNodesRunBesideOneAnotherWithGpusOfTheirOwn(Form form) throws Exception {
    LocalBackend.Builder two = LocalBackend.builder().nodes(2).shape(EIGHT_GPUS);
    ClusterSpec half = lasting(2).toBuilder().gpus(4).build();
    try (ClusterEngine engine = engine(two);
        Cluster first = form.ready(engine.launch(half));
        Cluster second = form.ready(engine.launch(half))) {
      assertThat(engine.pool())
          .hasSize(2)
          .allSatisfy(node -> assertThat(node.clusters()).containsExactly(first.id(), second.id()));
      assertThat(first.nodes()).extracting(Node::gpus).containsOnly(List.of(0, 1, 2, 3));
      assertThat(second.nodes()).extracting(Node::gpus).containsOnly(List.of(4, 5, 6, 7));
      first.stop(Duration.ofSeconds(10));
      assertThat(second.exit()).isNotDone();
      assertThat(engine.pool()).hasSize(2);
    }
  }

  @Test
  void manyJobsOfOneNodeGoThroughASmallPoolOneAfterAnother() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder().nodes(4))) {
      List<PendingCluster> launched = new ArrayList<>();
      for (int job = 0; job < 24; job++) {
        launched.add(engine.launch(shell(1, "exit 0").build()).start());
      }
      for (PendingCluster job : launched) {
        assertThat(job.ready().get(1, TimeUnit.MINUTES).join().success()).isTrue();
      }
    }
  }

  @Test
  void aGangIsNotHeldUpForEverByJobsThatCameAfterIt() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder().nodes(3))) {
      Cluster early = engine.launch(lasting(1)).await();
      PendingCluster gang = engine.launch(shell(3, "exit 0").build()).start();
      List<PendingCluster> later = new ArrayList<>();
      for (int job = 0; job < 6; job++) {
        later.add(engine.launch(shell(1, "exit 0").build()).start());
      }
      early.close();
      assertThat(gang.ready().get(1, TimeUnit.MINUTES).join().success()).isTrue();
      for (PendingCluster job : later) {
        assertThat(job.ready().get(1, TimeUnit.MINUTES).join().success()).isTrue();
      }
    }
  }

  @Test
  void givesEveryRankTheSamePortOutOfTheRange() throws Exception {
    try (ClusterEngine engine =
            on(LocalBackend.builder().factory()).portRange(29_100, 29_149).open();
        Cluster cluster =
            engine.launch(shell(3, "echo $MASTER_ADDR $MASTER_PORT").build()).await()) {
      List<String> seen =
          cluster.join().ranks().stream().map(RankExit::logTail).distinct().toList();
      assertThat(seen).singleElement().asString().startsWith(cluster.leader().address() + " ");
      int port = Integer.parseInt(seen.getFirst().split(" ")[1].strip());
      assertThat(port).isBetween(29_100, 29_149);
    }
  }

  @ParameterizedTest
  @EnumSource
  void sixtyFourNodesStartTogether(Form form) throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(shell(64, "echo $NODE_RANK").build()))) {
      ClusterExit exit = form.exit(cluster);
      assertThat(exit.success()).as("%s", exit.cause()).isTrue();
      assertThat(exit.ranks())
          .hasSize(64)
          .allSatisfy(rank -> assertThat(rank.logTail()).isEqualTo(rank.rank() + "\n"));
      assertThat(cluster.nodes()).extracting(Node::address).doesNotHaveDuplicates();
    }
  }
}

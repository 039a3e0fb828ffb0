// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Clusters;
import dev.clustered.LogQuery;
import dev.clustered.LogStream;
import dev.clustered.PendingCluster;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.RankExit;
import dev.clustered.model.RestartCause;
import dev.clustered.model.RestartPolicy;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The code of the guide's pages. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class GuideTest {

  @TempDir Path directory;

  @Test
  void aListenerHearsTheLifeOfACluster() throws Exception {
    List<String> told = new ArrayList<>();
    ClusterSpec spec = ClusterSpec.builder("hello").nodes(2).command("true").build();
    // region listen
    try (Cluster cluster =
        Clusters.launch(spec)
            .withListener(
                event -> {
                  switch (event) {
                    case ClusterEvent.StateChanged changed ->
                        told.add(changed.state() + " " + changed.detail());
                    case ClusterEvent.Waiting waiting -> told.add("waits: " + waiting.reasons());
                    case ClusterEvent.NodeReady ready ->
                        told.add(ready.readyNodes() + " of " + ready.size() + " nodes");
                    case ClusterEvent.FilesReceived files ->
                        told.add(files.received() + " of " + files.wanted());
                    case ClusterEvent.RankStarted started -> told.add("rank " + started.rank());
                    case ClusterEvent.RankEnded ended ->
                        told.add(ended.rank() + ": " + ended.end());
                    case ClusterEvent.AttemptFailed failed ->
                        told.add("attempt " + failed.attempt() + ": " + failed.cause().message());
                    case ClusterEvent.SpareReady spare -> told.add(spare.readySpares() + " spares");
                    case ClusterEvent.Noticed noticed -> told.add("" + noticed.notice());
                    case ClusterEvent.Verdict verdict -> told.add("" + verdict.outcome());
                  }
                })
            .await()) {
      System.out.println(cluster.join().outcome());
    }
    // endregion
    assertThat(told)
        .contains("2 of 2 nodes", "0: exit code 0", "SUCCEEDED")
        .last()
        .isEqualTo("ENDED ");
  }

  @Test
  void aFailureNamesItsFirstRank() throws Exception {
    List<String> told = new ArrayList<>();
    ClusterSpec spec =
        ClusterSpec.builder("fails")
            .nodes(2)
            .script("if [ \"$NODE_RANK\" = 1 ]; then echo 'no data'; exit 3; fi; sleep 600")
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      // region exit
      ClusterExit exit = cluster.join();
      exit.cause().map(Cause::message).ifPresent(told::add);
      exit.cause().map(Cause::evidence).ifPresent(told::addAll);
      for (RankExit rank : exit.ranks()) {
        told.add("rank %d, %s: %s".formatted(rank.rank(), rank.part(), rank.logTail()));
      }
      // endregion
      assertThat(exit.exitCode()).isEqualTo(3);
      assertThat(told).contains("rank 1, CULPRIT: no data\n").anyMatch(t -> t.contains("rank 1"));
    }
  }

  @Test
  void logsAreFollowedWhileTheClusterRuns() throws Exception {
    List<String> told = new ArrayList<>();
    ClusterSpec spec =
        ClusterSpec.builder("talks").nodes(2).script("echo epoch 1; echo epoch 2").build();
    // region follow
    try (Cluster cluster = Clusters.launch(spec).await();
        LogStream log = cluster.logs(LogQuery.all().following())) {
      log.lines().forEach(told::add);
    }
    // endregion
    assertThat(told)
        .containsExactlyInAnyOrder("[0] epoch 1", "[0] epoch 2", "[1] epoch 1", "[1] epoch 2");
  }

  @Test
  void restartsAreCountedByCauseAndGivenBackForProgress() {
    // region restart
    RestartPolicy policy =
        RestartPolicy.upTo(3)
            .withBudget(RestartCause.PREEMPTED, 100) // spot nodes come and go
            .withBudget(RestartCause.START_FAILED, 1) // 0 unless said
            .withProgress(3); // attempts in a row without a larger number in the file
    // endregion
    assertThat(policy.replacesNodes()).isTrue();
    assertThat(policy.restartsAtAll()).isTrue();
  }

  @Test
  void aHangIsLookedForWhereTheSpecificationAsks() {
    // region hang
    ClusterSpec spec =
        ClusterSpec.builder("training")
            .command("python", "train.py")
            .hang(HangPolicy.silentFor(Duration.ofMinutes(30)))
            .restart(RestartPolicy.upTo(0).withBudget(RestartCause.HUNG, 2))
            .build();
    // endregion
    assertThat(spec.hangPolicy()).contains(HangPolicy.silentFor(Duration.ofMinutes(30)));
  }

  @Test
  void anEngineServesManyLaunchesFromOnePool() throws Exception {
    ClusterSpec spec = ClusterSpec.builder("hello").nodes(2).command("true").build();
    List<String> told = new ArrayList<>();
    // region engine
    try (ClusterEngine engine =
        Clusters.engine()
            .setting("local", "nodes", "8")
            .idleNodeTime(Duration.ofMinutes(5))
            .logDirectory(directory)
            .listener(event -> told.add(event.toString()))
            .open()) {
      PendingCluster first = engine.launch(spec).start();
      try (Cluster second = engine.launch(spec).await()) {
        System.out.println(second.join().outcome());
      }
      first.ready().thenAccept(Cluster::close).join();
    }
    // endregion
    assertThat(told).isNotEmpty();
    assertThat(directory).isNotEmptyDirectory();
  }

  @Test
  void aPreviewSaysWhatALaunchWouldDo() throws Exception {
    ClusterSpec spec = ClusterSpec.builder("hello").nodes(2).command("true").build();
    // region preview
    try (ClusterEngine engine = Clusters.engine().setting("local", "nodes", "8").open()) {
      LaunchPreview preview = engine.launch(spec).plan();
      System.out.println(preview);
      if (preview.outcome() == LaunchPreview.Outcome.LAUNCH) {
        engine.launch(spec).await().close();
      }
    }
    // endregion
    LaunchPreview alone = Clusters.launch(spec).plan();
    assertThat(alone.outcome()).isEqualTo(LaunchPreview.Outcome.LAUNCH);
    assertThat(alone.toString()).contains("2 × ", "per hour");
  }

  @Test
  void aJavaTaskGivesEveryRanksResultBack() throws Exception {
    List<SquareTask.Square> squares;
    // region task
    ClusterSpec spec =
        ClusterSpec.builder("squares")
            .nodes(3)
            .task(SquareTask.class, new SquareTask.Numbers(10))
            .build();
    try (Cluster cluster = Clusters.launch(spec).await()) {
      squares = cluster.results(SquareTask.Square.class);
    }
    // endregion
    assertThat(squares)
        .containsExactly(
            new SquareTask.Square(0, 100),
            new SquareTask.Square(1, 121),
            new SquareTask.Square(2, 144));
  }
}

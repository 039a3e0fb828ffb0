// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.RankExit;
import dev.clustered.model.RankExit.Part;
import dev.clustered.model.SuccessPolicy;
import dev.clustered.testkit.NothingLeft;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whose success is the cluster's, with real processes. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class SuccessPolicyTest {

  @Test
  void endsTheOthersPolitelyWhenTheLeaderHasSucceededAndThatIsEnough() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      String line =
          "test $CLUSTERED_RANK = 0 && exit 0; test $CLUSTERED_RANK = 1 && exit 5; exec sleep 1000";
      ClusterSpec spec = shell(3, line).success(SuccessPolicy.LEADER).build();
      try (Cluster cluster = engine.launch(spec).await()) {
        ClusterExit exit = cluster.join();
        assertThat(exit.outcome()).isEqualTo(Outcome.SUCCEEDED);
        assertThat(exit.exitCode()).isZero();
        assertThat(exit.ranks().get(2).by()).isEqualTo(RankExit.EndedBy.ENGINE);
      }
    }
  }

  @Test
  void theLeadersFailureIsTheCauseThoughAnotherRankCrashedBefore(@TempDir Path shared)
      throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      String line =
          "test $CLUSTERED_RANK = 1 && { touch $SHARED/up; kill -s SEGV $$; }; "
              + "until test -e $SHARED/up; do sleep 0.02; done; exit 7";
      ClusterSpec spec =
          shell(2, line)
              .environment("SHARED", shared.toString())
              .success(SuccessPolicy.LEADER)
              .build();
      try (Cluster cluster = engine.launch(spec).await()) {
        ClusterExit exit = cluster.join();
        assertThat(exit.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(exit.cause().orElseThrow().rank()).hasValue(0);
        assertThat(exit.exitCode()).isEqualTo(7);
        assertThat(exit.ranks().get(0).part()).isEqualTo(Part.CULPRIT);
        assertThat(exit.ranks().get(1).part()).isNotEqualTo(Part.VICTIM);
      }
    }
  }

  private static final String GIVES =
      "echo $CLUSTERED_RANK >$CLUSTERED_RESULT_FILE.new; mv $CLUSTERED_RESULT_FILE.new"
          + " $CLUSTERED_RESULT_FILE; ";

  @Test
  void theLeadersResultIsEnoughWhereItsSuccessIs() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      String line = "test $CLUSTERED_RANK = 0 || exec sleep 1000; " + GIVES;
      ClusterSpec spec = shell(3, line).success(SuccessPolicy.LEADER).build();
      try (Cluster cluster = engine.launch(spec).await()) {
        assertThat(cluster.results(Integer.class)).containsExactly(0);
        assertThat(cluster.join().ranks())
            .extracting(rank -> rank.result().isPresent())
            .containsExactly(true, false, false);
      }
    }
  }

  @Test
  void aLeaderThatGaveNoResultIsNamedWhateverOthersGave(@TempDir Path shared) throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      String line =
          "test $CLUSTERED_RANK = 1 && { "
              + GIVES
              + "touch $SHARED/given; exit 0; }; until test -e $SHARED/given; do sleep 0.02; done";
      ClusterSpec spec =
          shell(2, line)
              .environment("SHARED", shared.toString())
              .success(SuccessPolicy.LEADER)
              .build();
      try (Cluster cluster = engine.launch(spec).await()) {
        assertThatThrownBy(() -> cluster.results(Integer.class))
            .isInstanceOf(ClusterException.class)
            .hasMessageStartingWith(
                "RANK_FAILED: rank 0 of cluster " + cluster.id() + " gave no result");
      }
    }
  }

  @Test
  void theResultOfTheRankThatSucceededIsEnoughWhereAnyRankIs() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      String line =
          "test $CLUSTERED_RANK = 0 && exit 5; test $CLUSTERED_RANK = 1 && exec sleep 1000; "
              + GIVES;
      ClusterSpec spec = shell(3, line).success(SuccessPolicy.ANY_RANK).build();
      try (Cluster cluster = engine.launch(spec).await()) {
        assertThat(cluster.results(Integer.class)).containsExactly(2);
      }
    }
  }

  @Test
  void everyRankThatGaveNoResultIsNamedWhereAllAreAsked() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder())) {
      ClusterSpec spec = shell(3, "test $CLUSTERED_RANK = 1 || exit 0; " + GIVES).build();
      try (Cluster cluster = engine.launch(spec).await()) {
        assertThatThrownBy(() -> cluster.results(Integer.class))
            .isInstanceOf(ClusterException.class)
            .hasMessageStartingWith(
                "RANK_FAILED: ranks 0, 2 of cluster " + cluster.id() + " gave no result");
      }
    }
  }
}

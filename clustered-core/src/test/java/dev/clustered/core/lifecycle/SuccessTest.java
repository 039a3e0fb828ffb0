// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.ClusterLife.Wanted;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.SuccessPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whose success is the cluster's. */
class SuccessTest {

  private static final ClusterId ID = new ClusterId("cl-1");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final List<NodeId> NODES =
      List.of(new NodeId("nd-a"), new NodeId("nd-b"), new NodeId("nd-c"));

  private ClusterLife running(SuccessPolicy policy, RestartPolicy restarts) {
    ClusterSpec spec =
        ClusterSpec.builder("x").nodes(3).command("true").success(policy).restart(restarts).build();
    ClusterLife life =
        ClusterMachine.submit(
                new Fact.Submitted(
                    ID, NOW, spec, Optional.empty(), Optional.empty(), Optional.empty()))
            .life();
    List<Fact.Slot> slots = NODES.stream().map(n -> new Fact.Slot(n, List.of())).toList();
    life = ClusterMachine.apply(life, new Fact.Placed(ID, NOW, slots)).life();
    for (int rank = 0; rank < 3; rank++) {
      life = report(life, rank, new RankReport.Prepared(rank == 0 ? 21_000 : 0));
    }
    for (int rank = 0; rank < 3; rank++) {
      life = report(life, rank, new RankReport.Joined(3, rank));
    }
    for (int rank = 0; rank < 3; rank++) {
      life = report(life, rank, new RankReport.Running(rank + 1));
    }
    return life;
  }

  private static ClusterLife report(ClusterLife life, int rank, RankReport report) {
    return ClusterMachine.apply(life, new Fact.RankReported(ID, NOW, 1, rank, report)).life();
  }

  private static ClusterLife exits(ClusterLife life, int rank, int code) {
    return report(life, rank, new RankReport.Exited(new ProcessEnd.Code(code), NOW, false));
  }

  private static Outcome outcome(ClusterLife life) {
    return life.verdict().orElseThrow().outcome();
  }

  @Test
  void theLeadersSuccessEndsTheOthersAndTheirFailuresDoNotMatter() {
    ClusterLife life = running(SuccessPolicy.LEADER, RestartPolicy.NEVER);
    life = exits(life, 2, 1);
    assertThat(life.verdict()).isEmpty();
    life = exits(life, 0, 0);
    assertThat(outcome(life)).isEqualTo(Outcome.SUCCEEDED);
    assertThat(life.wanted()).isEqualTo(Wanted.STOP);
  }

  @Test
  void theLeadersFailureIsTheClustersWhateverOthersDid() {
    ClusterLife life = running(SuccessPolicy.LEADER, RestartPolicy.NEVER);
    life = exits(life, 1, 0);
    assertThat(life.verdict()).isEmpty();
    life = exits(life, 0, 7);
    assertThat(outcome(life)).isEqualTo(Outcome.FAILED);
    assertThat(life.verdict().orElseThrow().cause().orElseThrow().rank()).hasValue(0);
  }

  @Test
  void theFirstRankToSucceedIsEnoughWhenAnyIs() {
    ClusterLife life = running(SuccessPolicy.ANY_RANK, RestartPolicy.NEVER);
    life = exits(life, 0, 1);
    life = exits(life, 1, 1);
    assertThat(life.verdict()).isEmpty();
    life = exits(life, 2, 0);
    assertThat(outcome(life)).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void failsWhenTheLastHasFailedAndAnyWouldHaveBeenEnough() {
    ClusterLife life = running(SuccessPolicy.ANY_RANK, RestartPolicy.NEVER);
    for (int rank = 0; rank < 3; rank++) {
      life = exits(life, rank, rank + 1);
    }
    assertThat(outcome(life)).isEqualTo(Outcome.FAILED);
  }

  @Test
  void aFailureThatDoesNotMatterCausesNoRestart() {
    RestartPolicy twice = RestartPolicy.upTo(2).withPause(Duration.ZERO, Duration.ZERO);
    ClusterLife life = running(SuccessPolicy.LEADER, twice);
    life = exits(life, 1, 1);
    assertThat(life.state()).isEqualTo(ClusterState.RUNNING);
    life = exits(life, 0, 1);
    assertThat(life.state()).isEqualTo(ClusterState.RESTARTING);
  }

  @Test
  void aRankThatCannotStartAndALostNodeFailTheClusterUnderEveryPolicy() {
    for (SuccessPolicy policy : SuccessPolicy.values()) {
      ClusterLife life = running(policy, RestartPolicy.NEVER);
      ClusterLife lost = ClusterMachine.nodeLost(life, NODES.get(2), "silent", NOW).life();
      assertThat(lost.verdict().orElseThrow().cause().orElseThrow().code())
          .isEqualTo(ErrorCode.NODE_LOST);
      ClusterLife missing =
          report(
              life, 2, new RankReport.Exited(new ProcessEnd.NotStarted(127, "none"), NOW, false));
      assertThat(missing.verdict().orElseThrow().cause().orElseThrow().code())
          .isEqualTo(ErrorCode.START_FAILED);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static dev.clustered.core.lifecycle.Machine.notStarted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.ClusterLife.Wanted;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.SuccessPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whose success is the cluster's. */
class SuccessTest {

  private static Machine running(SuccessPolicy policy, RestartPolicy restarts) {
    Machine machine =
        new Machine(
            ClusterSpec.builder("x")
                .nodes(3)
                .command("true")
                .success(policy)
                .restart(restarts)
                .build());
    machine.place();
    machine.run();
    return machine;
  }

  private static Machine running(SuccessPolicy policy) {
    return running(policy, RestartPolicy.NEVER);
  }

  @Test
  void theLeadersSuccessEndsTheOthersAndTheirFailuresDoNotMatter() {
    Machine machine = running(SuccessPolicy.LEADER);
    machine.exits(2, 1);
    assertThat(machine.life.verdict()).isEmpty();
    machine.exits(0, 0);
    assertThat(machine.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(machine.life.wanted()).isEqualTo(Wanted.STOP);
  }

  @Test
  void theLeadersFailureIsTheClustersWhateverOthersDid() {
    Machine machine = running(SuccessPolicy.LEADER);
    machine.exits(1, 0);
    assertThat(machine.life.verdict()).isEmpty();
    machine.exits(0, 7);
    assertThat(machine.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(machine.life.verdict().orElseThrow().cause().orElseThrow().rank()).hasValue(0);
  }

  @Test
  void theFirstRankToSucceedIsEnoughWhenAnyIs() {
    Machine machine = running(SuccessPolicy.ANY_RANK);
    machine.exits(0, 1);
    machine.exits(1, 1);
    assertThat(machine.life.verdict()).isEmpty();
    machine.exits(2, 0);
    assertThat(machine.outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void failsWhenTheLastHasFailedAndAnyWouldHaveBeenEnough() {
    Machine machine = running(SuccessPolicy.ANY_RANK);
    for (int rank = 0; rank < 3; rank++) {
      machine.exits(rank, rank + 1);
    }
    assertThat(machine.outcome()).isEqualTo(Outcome.FAILED);
  }

  @Test
  void saysWhoseSuccessItWas() {
    for (SuccessPolicy policy : SuccessPolicy.values()) {
      Machine machine = running(policy);
      for (int rank = 2; rank >= 0; rank--) {
        machine.exits(rank, 0);
      }
      String why =
          switch (policy) {
            case ALL_RANKS -> "every rank succeeded";
            case LEADER -> "rank 0 succeeded";
            case ANY_RANK -> "a rank succeeded";
          };
      assertThat(machine.commands(Command.Tell.class))
          .extracting(Command.Tell::event)
          .contains(
              new ClusterEvent.StateChanged(Machine.ID, Machine.NOW, ClusterState.STOPPING, why));
    }
  }

  @Test
  void aFailureThatDoesNotMatterCausesNoRestart() {
    RestartPolicy twice = RestartPolicy.upTo(2).withPause(Duration.ZERO, Duration.ZERO);
    Machine machine = running(SuccessPolicy.LEADER, twice);
    machine.exits(1, 1);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RUNNING);
    machine.exits(0, 1);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
  }

  @Test
  void aRankThatCannotStartAndALostNodeFailTheClusterUnderEveryPolicy() {
    for (SuccessPolicy policy : SuccessPolicy.values()) {
      Machine lost = running(policy);
      lost.lose(2);
      assertThat(lost.cause()).isEqualTo(ErrorCode.NODE_LOST);
      Machine missing = running(policy);
      missing.report(2, notStarted());
      assertThat(missing.cause()).isEqualTo(ErrorCode.START_FAILED);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static dev.clustered.core.lifecycle.Machine.ID;
import static dev.clustered.core.lifecycle.Machine.NOW;
import static dev.clustered.core.lifecycle.Machine.exit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.Cause;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.PhaseTimeouts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The time-outs of phases. */
class PhasesTest {

  private static final PhaseTimeouts LIMITS =
      PhaseTimeouts.DEFAULT
          .withQueue(Duration.ofHours(2))
          .withBoot(Duration.ofMinutes(7))
          .withPrepare(Duration.ofMinutes(3))
          .withJoin(Duration.ofSeconds(90))
          .withDrain(Duration.ofSeconds(11));

  private final Machine machine =
      new Machine(
          ClusterSpec.builder("x")
              .nodes(12)
              .command("true")
              .grace(Duration.ofSeconds(4))
              .timeouts(LIMITS)
              .build());

  private void pass(ClusterState state, int attempt) {
    machine.know(new Fact.PhaseTimeoutPassed(ID, NOW, state, attempt));
  }

  private String failure() {
    Cause cause = machine.life.verdict().orElseThrow().cause().orElseThrow();
    assertThat(cause.code()).isEqualTo(ErrorCode.PHASE_TIMEOUT);
    return cause.message();
  }

  @Test
  void everyPhaseIsWatchedWithItsOwnLimit() {
    machine.grant();
    machine.boot();
    machine.run();
    machine.report(0, exit(1));
    assertThat(machine.commands(Command.WatchPhase.class))
        .containsExactly(
            new Command.WatchPhase(ClusterState.QUEUED, 0, Duration.ofHours(2)),
            new Command.WatchPhase(ClusterState.BOOTING, 1, Duration.ofMinutes(7)),
            new Command.WatchPhase(ClusterState.PREPARING, 1, Duration.ofMinutes(3)),
            new Command.WatchPhase(ClusterState.JOINING, 1, Duration.ofSeconds(90)),
            new Command.WatchPhase(ClusterState.STOPPING, 1, Duration.ofSeconds(15)));
  }

  @Test
  void theFailureNamesThePhaseItsLimitAndWhoIsLate() {
    machine.grant();
    machine.join(new NodeId("nd-0"));
    pass(ClusterState.BOOTING, 1);
    assertThat(failure())
        .isEqualTo(
            "it was still BOOTING after PT7M, the time-out of that phase: 11 of 12 ranks (rank 1 on"
                + " node nd-1, rank 2 on node nd-2, rank 3 on node nd-3, rank 4 on node nd-4, rank"
                + " 5 on node nd-5, rank 6 on node nd-6, rank 7 on node nd-7, rank 8 on node nd-8"
                + " and 3 more) have not reported");
  }

  @Test
  void aLaunchThatFailedDoesNotBeginTheTimeInTheQueueAnew() {
    machine.know(
        new Fact.LaunchFailed(
            ID, NOW, new dev.clustered.model.LaunchId("la-1"), ErrorCode.NO_CAPACITY, "full"));
    pass(ClusterState.QUEUED, 0);
    assertThat(failure()).contains("QUEUED after PT2H", "no node yet");
  }

  @Test
  void aLimitOfAPhaseThatIsOverMeansNothing() {
    machine.grant();
    machine.boot();
    machine.run();
    for (ClusterState state : ClusterState.values()) {
      pass(state, 1);
      pass(state, 0);
    }
    assertThat(machine.life.verdict()).isEmpty();
    assertThat(machine.commands(Command.LoseNodes.class)).isEmpty();
  }

  @Test
  void whatCannotBeEndedCostsItsNode() {
    machine.grant();
    machine.boot();
    machine.run();
    machine.report(0, exit(1));
    machine.report(1, Machine.killed());
    pass(ClusterState.STOPPING, 1);
    assertThat(machine.commands(Command.LoseNodes.class))
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.nodes()).hasSize(11).doesNotContain(new NodeId("nd-1"));
              assertThat(lost.why()).contains("could not be ended within PT15S");
            });
    List<Command.Exit> none = machine.commands(Command.Exit.class);
    assertThat(none).isEmpty();
  }
}

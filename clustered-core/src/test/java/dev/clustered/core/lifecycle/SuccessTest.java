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
import dev.clustered.model.Role;
import dev.clustered.model.SuccessPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

  private static final Role SERVER = Role.of("server", 1).command("serve").untilOthersEnd();
  private static final Role WORKER = Role.of("worker", 2).command("work");
  private static final Role LOG = Role.of("log", 1).command("log").untilOthersEnd();

  /** Rank 0 serves, 1 and 2 work, 3 collects logs. */
  private static Machine withRoles(SuccessPolicy policy, RestartPolicy restarts) {
    Machine machine =
        new Machine(
            ClusterSpec.builder("x")
                .role(SERVER)
                .role(WORKER)
                .role(LOG)
                .success(policy)
                .restart(restarts)
                .grace(Duration.ofSeconds(7))
                .build());
    machine.place();
    machine.run();
    return machine;
  }

  /**
   * What ranks do one after another, and what comes of it.
   *
   * @param ends a rank and its exit code, one after another
   * @param last what the last of them decides; empty when it decides nothing
   */
  record Case(SuccessPolicy policy, List<Integer> ends, Optional<Outcome> last) {}

  static Stream<Case> ends() {
    return Stream.of(
        decides(SuccessPolicy.ALL_RANKS, Outcome.SUCCEEDED, 1, 0, 2, 0),
        decides(SuccessPolicy.ALL_RANKS, Outcome.SUCCEEDED, 0, 0, 3, 0, 2, 0, 1, 0),
        decides(SuccessPolicy.ALL_RANKS, Outcome.FAILED, 0, 1),
        decides(SuccessPolicy.ALL_RANKS, Outcome.FAILED, 1, 0, 3, 9),
        decides(SuccessPolicy.ALL_RANKS, Outcome.FAILED, 1, 0, 0, 0, 2, 5),
        undecided(SuccessPolicy.ALL_RANKS, 1, 0),
        undecided(SuccessPolicy.ALL_RANKS, 0, 0, 3, 0, 1, 0),
        decides(SuccessPolicy.ANY_RANK, Outcome.SUCCEEDED, 0, 0, 2, 0),
        decides(SuccessPolicy.ANY_RANK, Outcome.FAILED, 1, 1, 2, 1),
        decides(SuccessPolicy.ANY_RANK, Outcome.FAILED, 0, 1, 3, 0, 1, 1, 2, 1),
        undecided(SuccessPolicy.ANY_RANK, 0, 0),
        undecided(SuccessPolicy.ANY_RANK, 0, 1, 3, 1, 1, 1));
  }

  private static Case decides(SuccessPolicy policy, Outcome outcome, Integer... ends) {
    return new Case(policy, List.of(ends), Optional.of(outcome));
  }

  private static Case undecided(SuccessPolicy policy, Integer... ends) {
    return new Case(policy, List.of(ends), Optional.empty());
  }

  @ParameterizedTest
  @MethodSource("ends")
  void onlyRanksThatEndByThemselvesAreAskedFor(Case one) {
    Machine machine = withRoles(one.policy(), RestartPolicy.NEVER);
    for (int i = 0; i < one.ends().size(); i += 2) {
      assertThat(machine.life.verdict()).as("before end %d", i / 2).isEmpty();
      machine.exits(one.ends().get(i), one.ends().get(i + 1));
    }
    assertThat(machine.life.verdict().map(ClusterLife.Verdict::outcome)).isEqualTo(one.last());
  }

  @Test
  void theLeaderMayHaveServersBehindIt() {
    Machine machine =
        new Machine(
            ClusterSpec.builder("x").role(WORKER).role(LOG).success(SuccessPolicy.LEADER).build());
    machine.place();
    machine.run();
    machine.exits(2, 1);
    machine.exits(1, 1);
    assertThat(machine.life.verdict()).isEmpty();
    machine.exits(0, 0);
    assertThat(machine.outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void serversAreStoppedWithTheGraceAndHowTheyEndThenDoesNotMatter() {
    Machine machine = withRoles(SuccessPolicy.ALL_RANKS, RestartPolicy.upTo(1));
    machine.exits(1, 0);
    machine.exits(2, 0);
    assertThat(machine.life.wanted()).isEqualTo(Wanted.STOP);
    assertThat(machine.life.grace()).isEqualTo(Duration.ofSeconds(7));
    assertThat(machine.commands(Command.Tell.class))
        .extracting(Command.Tell::event)
        .contains(
            new ClusterEvent.StateChanged(
                Machine.ID,
                Machine.NOW,
                ClusterState.STOPPING,
                "every rank succeeded whose role ends by itself"));
    machine.exits(0, 143);
    machine.lose(3);
    assertThat(machine.outcome()).isEqualTo(Outcome.SUCCEEDED);
    for (int rank = 0; rank < 3; rank++) {
      machine.report(rank, Machine.killed());
    }
    assertThat(machine.life.finished()).isTrue();
    assertThat(machine.commands(Command.Exit.class)).hasSize(1);
  }

  @Test
  void aClusterSucceedsOnlyOnceEveryServerRuns() {
    Machine machine = new Machine(ClusterSpec.builder("x").role(SERVER).role(WORKER).build());
    machine.place();
    machine.join();
    for (int rank = 1; rank < 3; rank++) {
      machine.report(rank, new RankReport.Running(1));
      machine.exits(rank, 0);
    }
    assertThat(machine.life.verdict()).isEmpty();
    machine.report(0, new RankReport.Running(1));
    assertThat(machine.outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void aServersCrashIsRestartedLikeAnyOther() {
    RestartPolicy once = RestartPolicy.upTo(1).withPause(Duration.ZERO, Duration.ZERO);
    Machine machine = withRoles(SuccessPolicy.ALL_RANKS, once);
    machine.exits(0, 3);
    assertThat(machine.life.state()).isEqualTo(ClusterState.RESTARTING);
    assertThat(machine.life.tries().failure().orElseThrow().cause().message())
        .startsWith("rank 0 (server) ended with");
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

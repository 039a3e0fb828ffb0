// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.agents;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static dev.clustered.backend.local.Gangs.signal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.PendingCluster;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.PhaseTimeouts;
import dev.clustered.model.RestartPolicy;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Each phase has its limit, and whoever is late is named. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class PhaseTimeoutsTest {

  private static final Duration SHORT = Duration.ofMillis(700);

  private static void failsWith(PendingCluster pending, String... parts) {
    assertThat(pending.ready())
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            ClusterException.class,
            failure -> {
              assertThat(failure.code()).isEqualTo(ErrorCode.PHASE_TIMEOUT);
              assertThat(failure.getMessage()).contains(parts).contains("PT0.7S");
            });
  }

  @Test
  void theQueueHasItsLimitAndTheErrorSaysWhatWasWaitedFor() throws Exception {
    try (ClusterEngine engine = engine(LocalBackend.builder().nodes(2));
        Cluster busy = engine.launch(lasting(2)).await()) {
      ClusterSpec spec = shell(1, "true").timeouts(PhaseTimeouts.DEFAULT.withQueue(SHORT)).build();
      failsWith(engine.launch(spec).start(), "QUEUED");
      assertThat(busy.state()).isEqualTo(ClusterState.RUNNING);
    }
  }

  @Test
  void bootHasItsLimitAndTheErrorNamesWhoDidNotReport() throws Exception {
    Events events = new Events();
    try (ClusterEngine engine =
        on(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory()).open()) {
      ClusterSpec spec =
          lasting(2).toBuilder().timeouts(PhaseTimeouts.DEFAULT.withBoot(SHORT)).build();
      PendingCluster pending = engine.launch(spec).withListener(events).start();
      Eventually.within(PATIENCE).passes(() -> assertThat(agents()).hasSize(2));
      ProcessHandle late = agents().getLast();
      signal("STOP", late);
      try {
        failsWith(pending, "BOOTING", "have not reported", "rank ");
      } finally {
        if (late.isAlive()) {
          signal("CONT", late);
        }
      }
    }
  }

  @Test
  void aNodeWhoseRankCannotBeEndedCountsAsLostAndItsRankRunsElsewhere() throws Exception {
    Events events = new Events();
    RestartPolicy atOnce = RestartPolicy.upTo(1).withPause(Duration.ZERO, Duration.ZERO);
    ClusterSpec spec =
        shell(
                2,
                "test $CLUSTERED_ATTEMPT = 2 || { test $CLUSTERED_RANK = 0 || exec sleep 1000;"
                    + " sleep 1; exit 3; }")
            .restart(atOnce)
            .grace(Duration.ofMillis(100))
            .timeouts(PhaseTimeouts.DEFAULT.withDrain(SHORT))
            .build();
    try (ClusterEngine engine =
            on(LocalBackend.builder().agents(AgentPlace.OWN_JVM).factory()).open();
        Cluster cluster = engine.launch(spec).withListener(events).await()) {
      // A stopped agent hears of no stop: what runs there goes on for as long as its lease lasts.
      ProcessHandle deaf = Gangs.agentOf(events.process(1));
      signal("STOP", deaf);
      try {
        assertThat(cluster.join().outcome()).isEqualTo(Outcome.SUCCEEDED);
        assertThat(cluster.attempt()).isEqualTo(2);
      } finally {
        if (deaf.isAlive()) {
          signal("CONT", deaf);
        }
      }
    }
  }
}

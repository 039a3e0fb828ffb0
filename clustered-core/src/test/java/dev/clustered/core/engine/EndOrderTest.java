// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit.EndedBy;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Ends have the places in which the engine told of them, in their attempt. */
class EndOrderTest {

  private static final ClusterId CLUSTER = new ClusterId("c");
  private static final Instant AT = Instant.parse("2026-01-02T03:04:05Z");

  private final EndOrder order = new EndOrder();

  private void ended(int attempt, int rank) {
    order.hear(
        new ClusterEvent.RankEnded(
            CLUSTER, AT, attempt, rank, new ProcessEnd.Code(1), EndedBy.ITSELF),
        attempt);
  }

  private void lost(int attempt, int rank) {
    Cause cause = new Cause(ErrorCode.NODE_LOST, OptionalInt.of(rank), Optional.empty(), "silent");
    order.hear(new ClusterEvent.Verdict(CLUSTER, AT, Outcome.FAILED, Optional.of(cause)), attempt);
  }

  @Test
  void areInTheOrderInWhichTheyWereToldWithTheLostNodeOfTheVerdict() {
    ended(1, 2);
    lost(1, 0);
    ended(1, 1);
    ended(1, 2);
    assertThat(order.places(1)).isEqualTo(Map.of(2, 0, 0, 1, 1, 2));
  }

  @Test
  void startAnewWithAnotherAttempt() {
    ended(1, 2);
    ended(2, 1);
    ended(1, 0);
    assertThat(order.places(2)).isEqualTo(Map.of(1, 0));
    assertThat(order.places(1)).isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.plan.Claim;
import dev.clustered.core.plan.Decision.Assignment;
import dev.clustered.core.plan.Decision.Migrate;
import dev.clustered.core.plan.Decision.Move;
import dev.clustered.core.plan.Decision.Preempt;
import dev.clustered.core.plan.Decision.Shrink;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is done to others, in sentences that anybody understands. */
class SentencesTest {

  private static final ClusterId HIGH = new ClusterId("high");
  private static final Claim CLAIM =
      new Claim(
          List.of(new NodeId("n1"), new NodeId("n2"), new NodeId("n3")),
          Instant.parse("2026-01-01T00:10:00Z"));
  private static final String KEPT = "  kept for high until 2026-01-01T00:10:00Z: n[1-3]";

  @Test
  void saysWhoEndsAndWhoGivesUpRanks() {
    Shrink one = new Shrink(new ClusterId("elastic"), List.of(3));
    Shrink two = new Shrink(new ClusterId("wide"), List.of(6, 7));
    List<ClusterId> victims = List.of(new ClusterId("a"), new ClusterId("b"));

    assertThat(Sentences.of(new Preempt(HIGH, victims, List.of(), CLAIM)))
        .containsExactly("end a, b for high", KEPT);
    assertThat(Sentences.of(new Preempt(HIGH, List.of(), List.of(one, two), CLAIM)))
        .as("nobody is ended, so nobody is said to be")
        .containsExactly(
            "elastic gives up rank 3 for high", "wide gives up ranks 6, 7 for high", KEPT);
  }

  @Test
  void saysWhoMoves() {
    Move move =
        new Move(
            new ClusterId("job"), 0, new NodeId("n1"), new Assignment(new NodeId("m"), List.of()));
    assertThat(Sentences.of(new Migrate(HIGH, List.of(move), Duration.ofMinutes(5), CLAIM)))
        .containsExactly(
            "move others for high, which costs them PT5M of work",
            "  rank 0 of job from n1 to m",
            KEPT);
  }
}

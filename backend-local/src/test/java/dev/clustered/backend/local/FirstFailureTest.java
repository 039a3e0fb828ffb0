// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.Gangs.PATIENCE;
import static dev.clustered.backend.local.Gangs.engine;
import static dev.clustered.backend.local.Gangs.lasting;
import static dev.clustered.backend.local.Gangs.on;
import static dev.clustered.backend.local.Gangs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.model.RankExit.EndedBy;
import dev.clustered.model.RankExit.Part;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When one rank fails all end, and the result names the first and tells it from its victims. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class FirstFailureTest {

  private static final String FAIL_AS_TOLD =
      "echo I am $NODE_RANK; test $NODE_RANK = $CULPRIT && exit 3; exec sleep 1000";

  @ParameterizedTest
  @EnumSource
  void namesWhicheverRankFailsAndMarksTheOthersAsKilled(Form form) throws Exception {
    try (ClusterEngine engine =
        on(LocalBackend.builder().factory()).idleNodeTime(Duration.ofMinutes(1)).open()) {
      for (int culprit = 0; culprit < 4; culprit++) {
        ClusterSpec spec =
            shell(4, FAIL_AS_TOLD).environment("CULPRIT", Integer.toString(culprit)).build();
        Events events = new Events();
        try (Cluster cluster = form.ready(engine.launch(spec).withListener(events))) {
          ClusterExit exit = form.exit(cluster);
          assertThat(exit.outcome()).isEqualTo(Outcome.FAILED);
          assertThat(exit.exitCode()).isEqualTo(3);
          assertThat(exit.cause().map(Cause::message))
              .isEqualTo(events.verdict().cause().map(Cause::message));
          assertCulprit(exit, culprit, new ProcessEnd.Code(3), cluster);
          assertVictims(exit, culprit);
        }
      }
    }
  }

  private static void assertCulprit(
      ClusterExit exit, int culprit, ProcessEnd end, Cluster cluster) {
    Cause cause = exit.cause().orElseThrow();
    assertThat(cause.code()).isEqualTo(ErrorCode.RANK_FAILED);
    assertThat(cause.rank()).hasValue(culprit);
    assertThat(cause.end()).contains(end);
    assertThat(cause.message())
        .contains("rank " + culprit, end.toString(), cluster.nodes().get(culprit).id().value());
    RankExit own = exit.ranks().get(culprit);
    assertThat(own.by()).isEqualTo(EndedBy.ITSELF);
    assertThat(own.part()).isEqualTo(Part.CULPRIT);
    assertThat(cause.evidence().getFirst()).startsWith("rank " + culprit + " ended with " + end);
    assertThat(own.end()).contains(end);
  }

  /** A victim may be ended before it wrote anything. */
  private static void assertVictims(ClusterExit exit, int culprit) {
    assertThat(exit.ranks())
        .filteredOn(rank -> rank.rank() != culprit)
        .hasSize(3)
        .allSatisfy(
            rank -> {
              assertThat(rank.by()).isEqualTo(EndedBy.ENGINE);
              assertThat(rank.part()).isEqualTo(Part.STOPPED);
              assertThat(rank.end()).contains(new ProcessEnd.Signal(15));
              assertThat(rank.at()).isPresent();
              assertThat(rank.logTail()).isIn("", "I am " + rank.rank() + "\n");
            });
    assertThat(exit.ranks().get(culprit).logTail()).isEqualTo("I am " + culprit + "\n");
  }

  @ParameterizedTest
  @EnumSource
  void isNoSuccessBecauseTheLeaderSucceeded(Form form) throws Exception {
    ClusterSpec spec = shell(4, "test $NODE_RANK = 3 && { sleep 0.3; exit 1; }; exit 0").build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(spec))) {
      ClusterExit exit = form.exit(cluster);
      assertThat(exit.success()).isFalse();
      assertThat(exit.exitCode()).isEqualTo(1);
      assertCulprit(exit, 3, new ProcessEnd.Code(1), cluster);
      assertThat(exit.ranks().subList(0, 3))
          .allSatisfy(
              rank -> {
                assertThat(rank.by()).isEqualTo(EndedBy.ITSELF);
                assertThat(rank.part()).isEqualTo(Part.NEITHER);
                assertThat(rank.end()).contains(new ProcessEnd.Code(0));
              });
    }
  }

  @ParameterizedTest
  @EnumSource
  void takesAVictimThatFailsWhenItIsEndedForAVictim(Form form) throws Exception {
    String line =
        """
        trap 'echo asked; exit 5' TERM
        if test $NODE_RANK = 1; then
          while test "$(ls "$UP" | wc -l)" -lt 2; do sleep 0.02; done
          exit 4
        fi
        touch "$UP/$NODE_RANK"
        while :; do sleep 0.02; done
        """;
    try (Meeting up = Meeting.open();
        ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster =
            form.ready(engine.launch(shell(3, line).environment("UP", up.path()).build()))) {
      ClusterExit exit = form.exit(cluster);
      assertCulprit(exit, 1, new ProcessEnd.Code(4), cluster);
      assertThat(List.of(exit.ranks().get(0), exit.ranks().get(2)))
          .allSatisfy(
              rank -> {
                assertThat(rank.by()).isEqualTo(EndedBy.ENGINE);
                assertThat(rank.end()).contains(new ProcessEnd.Code(5));
                assertThat(rank.logTail()).endsWith("asked\n");
              });
    }
  }

  @ParameterizedTest
  @EnumSource
  void namesARankThatSomebodyElseKilled(Form form) throws Exception {
    Events events = new Events();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(lasting(3)).withListener(events))) {
      assertThat(ProcessHandle.of(events.process(1)).orElseThrow().destroyForcibly()).isTrue();
      ClusterExit exit = form.exit(cluster);
      assertThat(exit.exitCode()).isEqualTo(137);
      assertCulprit(exit, 1, new ProcessEnd.Signal(9), cluster);
      assertThat(exit.ranks())
          .extracting(RankExit::by)
          .containsExactly(EndedBy.ENGINE, EndedBy.ITSELF, EndedBy.ENGINE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void tellsListenersEveryEndAndOneVerdict(Form form) throws Exception {
    Events events = new Events();
    ClusterSpec spec = shell(3, "test $NODE_RANK = 1 && exit 9; exec sleep 1000").build();
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(spec).withListener(events))) {
      ClusterExit exit = form.exit(cluster);
      Eventually.within(PATIENCE)
          .passes(
              () ->
                  assertThat(events.of(ClusterEvent.RankEnded.class))
                      .extracting(
                          ClusterEvent.RankEnded::rank,
                          ClusterEvent.RankEnded::end,
                          ClusterEvent.RankEnded::by)
                      .containsExactlyInAnyOrderElementsOf(
                          exit.ranks().stream()
                              .map(
                                  rank ->
                                      org.assertj.core.groups.Tuple.tuple(
                                          rank.rank(), rank.end().orElseThrow(), rank.by()))
                              .toList()));
      assertThat(events.of(ClusterEvent.Verdict.class))
          .singleElement()
          .satisfies(
              verdict ->
                  assertThat(verdict.cause().map(Cause::message))
                      .isEqualTo(exit.cause().map(Cause::message)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void succeedsThoughARankLeavesAProcessBehindThatHoldsItsOutput(Form form) throws Exception {
    String line = "(setsid sh -c 'trap \"\" TERM; echo left $$; exec sleep 1000' &); sleep 0.3";
    try (ClusterEngine engine = engine(LocalBackend.builder());
        Cluster cluster = form.ready(engine.launch(shell(2, line).build()))) {
      ClusterExit exit = form.exit(cluster);
      assertThat(exit.success()).as("%s", exit).isTrue();
      assertThat(exit.ranks())
          .allSatisfy(
              rank -> {
                assertThat(rank.logTail()).startsWith("left ");
                long left = Long.parseLong(rank.logTail().substring("left ".length()).strip());
                assertThat(Gangs.runs(left)).isFalse();
              });
    }
  }
}

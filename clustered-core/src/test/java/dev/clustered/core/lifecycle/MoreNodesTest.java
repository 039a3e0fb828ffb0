// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import static dev.clustered.core.lifecycle.Machine.ID;
import static dev.clustered.core.lifecycle.Machine.NOW;
import static dev.clustered.core.lifecycle.Machine.finish;
import static dev.clustered.core.lifecycle.Machine.killed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.core.lifecycle.ClusterLife.Purpose;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.RestartPolicy;
import dev.clustered.model.Shape;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the machine makes of nodes that a cluster gets beside those that it began with. */
class MoreNodesTest {

  private static final NodeId OTHER = new NodeId("nd-other");
  private static final NodeId THIRD = new NodeId("nd-third");
  private static final LaunchId SPARE_LAUNCH = new LaunchId("la-spare");
  private static final Offer OFFER =
      new Offer(
          "local",
          new Shape("gpu", new Resources(0, "", 1, ByteSize.gibibytes(1)), 0, 0),
          "z",
          Market.ON_DEMAND,
          BigDecimal.ONE,
          Duration.ofMinutes(1),
          9);

  private Machine machine = machine(0);

  /** Two ranks of two to five, which may be started again twice. */
  private static Machine machine(int spares) {
    return new Machine(
        ClusterSpec.builder("x")
            .nodes(2, 5)
            .spares(spares)
            .command("true")
            .restart(RestartPolicy.upTo(2))
            .build(),
        2);
  }

  private static Fact.Slot slot(NodeId node) {
    return new Fact.Slot(node, List.of());
  }

  private void grow(NodeId... nodes) {
    List<Fact.Slot> slots = List.of(nodes).stream().map(MoreNodesTest::slot).toList();
    machine.know(new Fact.Grown(ID, NOW, slots, List.of()));
  }

  private void getSpare(NodeId node) {
    machine.know(new Fact.Grown(ID, NOW, List.of(), List.of(slot(node))));
  }

  private void launchSpare() {
    launch(SPARE_LAUNCH);
  }

  private void launch(LaunchId id) {
    machine.know(
        new Fact.LaunchDecided(
            ID, NOW, id, OFFER, List.of(new NodeId("nd-of-" + id)), Optional.empty()));
  }

  private void granted(LaunchId id, NodeId node) {
    machine.know(new Fact.LaunchGranted(ID, NOW, id, List.of(), List.of(slot(node))));
  }

  private void failed(LaunchId id, ErrorCode code) {
    machine.know(new Fact.LaunchFailed(ID, NOW, id, code, "no"));
  }

  private void runAndFail() {
    machine.place();
    machine.run();
    machine.exits(1, 3);
    machine.report(1, finish(3));
    machine.report(0, killed());
  }

  private void pauseOver() {
    machine.know(new Fact.PauseOver(ID, NOW, machine.life.attempt()));
  }

  private List<String> nodes() {
    return machine.life.ranks().stream().map(rank -> rank.node().value()).toList();
  }

  private List<NodeId> spares() {
    return machine.life.spares().stream().map(spare -> spare.slot().node()).toList();
  }

  @Test
  void newRanksFollowTheOthersInTheNextAttemptAndAreToldAsItsSize() {
    runAndFail();
    grow(OTHER);
    grow(THIRD);
    assertThat(machine.life.ranks()).as("the attempt that failed had two").hasSize(2);
    pauseOver();
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(nodes()).containsExactly("nd-0", "nd-1", "nd-other", "nd-third");
    assertThat(machine.life.ranks()).extracting(RankLife::rank).containsExactly(0, 1, 2, 3);
    assertThat(machine.commands(Command.Tell.class))
        .extracting(Command.Tell::event)
        .filteredOn(ClusterEvent.StateChanged.class::isInstance)
        .extracting(event -> ((ClusterEvent.StateChanged) event).detail())
        .last()
        .isEqualTo("attempt 2, 4 ranks in the place of 2");
  }

  @Test
  void theNextAttemptBeginsWhenThePauseIsOverWithWhatThereIsByThen() {
    runAndFail();
    pauseOver();
    assertThat(nodes()).containsExactly("nd-0", "nd-1");
    grow(OTHER);
    assertThat(nodes()).as("too late for this attempt").containsExactly("nd-0", "nd-1");
    assertThat(spares()).as("held until the end").containsExactly(OTHER);
  }

  @Test
  void aNewRankWhoseNodeIsLostBeforeItBeganIsNone() {
    runAndFail();
    grow(OTHER, THIRD);
    machine.lose(OTHER);
    assertThat(machine.life.verdict()).isEmpty();
    pauseOver();
    assertThat(nodes()).containsExactly("nd-0", "nd-1", "nd-third");
  }

  @Test
  void aRankThatLosesItsNodeMeanwhileGetsThatOfANewRank() {
    runAndFail();
    grow(OTHER, THIRD);
    machine.lose(0);
    assertThat(machine.life.lacksNode()).isFalse();
    pauseOver();
    assertThat(nodes()).containsExactly("nd-third", "nd-1", "nd-other");
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
  }

  @Test
  void afterAShrinkTheNewRanksFollowThoseThatStay() {
    machine.place();
    machine.run();
    machine.lose(0);
    machine.know(new Fact.Resized(ID, NOW, List.of(1)));
    grow(OTHER);
    machine.report(1, killed());
    pauseOver();
    assertThat(nodes()).containsExactly("nd-1", "nd-other");
    assertThat(machine.life.ranks()).extracting(RankLife::rank).containsExactly(0, 1);
  }

  @Test
  void anAttemptThatIsTheLastEndsWithTheRanksThatItHad() {
    runAndFail();
    grow(OTHER);
    machine.know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "enough"));
    assertThat(machine.life.ranks()).hasSize(2);
    assertThat(machine.commands(Command.Release.class)).hasSize(1);
  }

  @Test
  void aSpareThatComesWhileItRunsIsToldAndDisturbsNobody() {
    machine = machine(2);
    machine.know(
        new Fact.Placed(
            ID,
            NOW,
            List.of(slot(OTHER), slot(THIRD), slot(new NodeId("s")), slot(new NodeId("t")))));
    machine.lose(new NodeId("s"));
    assertThat(machine.life.lacksSpare()).isTrue();
    getSpare(new NodeId("u"));
    assertThat(machine.life.lacksSpare()).isFalse();
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
    assertThat(machine.commands(Command.Tell.class))
        .extracting(Command.Tell::event)
        .filteredOn(ClusterEvent.SpareReady.class::isInstance)
        .extracting(event -> ((ClusterEvent.SpareReady) event).node().value())
        .containsExactly("s", "t", "u");
  }

  private void runWithoutItsSpare() {
    machine = machine(1);
    machine.place(slot(OTHER));
    machine.run();
    machine.lose(OTHER);
  }

  @Test
  void aSpareThatIsLaunchedIsOneWhenItIsGrantedAndReadyWhenItReports() {
    runWithoutItsSpare();
    launchSpare();
    assertThat(machine.life.purpose(SPARE_LAUNCH)).contains(Purpose.SPARES);
    assertThat(machine.life.lacksSpare()).as("one is under way").isFalse();
    granted(SPARE_LAUNCH, THIRD);
    assertThat(machine.life.spares()).containsExactly(new ClusterLife.Spare(slot(THIRD), false));
    machine.join(THIRD);
    assertThat(machine.life.spares()).containsExactly(new ClusterLife.Spare(slot(THIRD), true));
    assertThat(machine.life.state()).isEqualTo(ClusterState.RUNNING);
  }

  @ParameterizedTest
  @EnumSource
  void aSpareThatCannotBeLaunchedCountsNowhereAndEndsNothing(ErrorCode code) {
    runWithoutItsSpare();
    for (int time = 0; time <= ClusterMachine.MOST_FAILED_LAUNCHES; time++) {
      launchSpare();
      failed(SPARE_LAUNCH, code);
    }
    assertThat(machine.life.verdict()).isEmpty();
    assertThat(machine.life.state()).isEqualTo(ClusterState.RUNNING);
    assertThat(machine.life.failedLaunches()).isZero();
    assertThat(machine.life.launches()).isEmpty();
    assertThat(machine.life.lacksSpare()).isTrue();
  }

  @Test
  void aLaunchInThePlaceOfALostNodeStillCounts() {
    machine.place();
    machine.run();
    machine.lose(1);
    launch(new LaunchId("la-2"));
    assertThat(machine.life.purpose(new LaunchId("la-2"))).contains(Purpose.RANKS);
    failed(new LaunchId("la-2"), ErrorCode.LAUNCH_FAILED);
    assertThat(machine.life.failedLaunches()).isEqualTo(1);
  }

  @Test
  void aSpareThatIsGrantedWhileARankLacksANodeIsUsedAtOnce() {
    runWithoutItsSpare();
    launchSpare();
    machine.lose(1);
    machine.report(0, killed());
    pauseOver();
    granted(SPARE_LAUNCH, THIRD);
    assertThat(machine.life.state()).isEqualTo(ClusterState.BOOTING);
    assertThat(nodes()).containsExactly("nd-0", "nd-third");
    machine.join(THIRD);
    assertThat(machine.life.state()).isEqualTo(ClusterState.PREPARING);
  }

  @Test
  void itsEndAbandonsEveryLaunchAndWaitsForTheLastAnswer() {
    runWithoutItsSpare();
    launchSpare();
    machine.lose(1);
    LaunchId other = new LaunchId("la-2");
    launch(other);
    machine.know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "enough"));
    machine.report(0, killed());
    assertThat(machine.commands(Command.AbandonLaunch.class))
        .extracting(Command.AbandonLaunch::launch)
        .containsExactly(SPARE_LAUNCH, other);
    failed(other, ErrorCode.CANCELLED);
    assertThat(machine.commands(Command.Release.class)).as("one may still be granted").isEmpty();
    granted(SPARE_LAUNCH, THIRD);
    assertThat(machine.commands(Command.Release.class)).hasSize(1);
    assertThat(machine.outcome()).isEqualTo(Outcome.STOPPED);
  }

  @Test
  void whileItGivesItsNodesBackItWaitsForItsLaunchesToo() {
    runWithoutItsSpare();
    launchSpare();
    machine.lose(1);
    machine.report(0, killed());
    machine.know(new Fact.Requeued(ID, NOW, List.of()));
    assertThat(machine.commands(Command.AbandonLaunch.class)).hasSize(1);
    assertThat(machine.commands(Command.Requeue.class)).isEmpty();
    granted(SPARE_LAUNCH, THIRD);
    assertThat(machine.commands(Command.Requeue.class)).as("with the node that came").hasSize(1);
    machine.know(new Fact.Released(ID, NOW));
    assertThat(machine.life.state()).isEqualTo(ClusterState.QUEUED);
    assertThat(machine.life.spares()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whateverComesInWhateverOrderItHoldsEachNodeOnceAndEndsOnceWithoutAnyLaunch(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      String when = "seed " + seed + " round " + round;
      machine = machine(1);
      machine.place(slot(OTHER));
      List<LaunchId> asked = new ArrayList<>();
      for (int step = 0; step < 60; step++) {
        happen(random, asked, "nd-%d-%d".formatted(round, step));
        check(when + " step " + step);
      }
      machine.know(new Fact.StopRequested(ID, NOW, Duration.ZERO, "over"));
      for (RankLife rank : machine.life.ranks()) {
        machine.report(rank.rank(), killed());
      }
      assertThat(machine.commands(Command.Release.class)).as(when).hasSize(asked.isEmpty() ? 1 : 0);
      asked.forEach(launch -> failed(launch, ErrorCode.CANCELLED));
      machine.know(new Fact.Released(ID, NOW));
      assertThat(machine.life.state()).as(when).isEqualTo(ClusterState.ENDED);
      assertThat(machine.commands(Command.Release.class)).as(when).hasSize(1);
      assertThat(machine.commands(Command.Exit.class)).as(when).hasSize(1);
    }
  }

  private void happen(Random random, List<LaunchId> asked, String fresh) {
    List<RankLife> ranks = machine.life.ranks();
    if (machine.life.verdict().isPresent()) {
      return; // Others say what an end does; here it is to come from a stop.
    }
    switch (random.nextInt(12)) {
      case 0 ->
          ranks.stream()
              .skip(random.nextInt(2))
              .findFirst()
              .ifPresent(r -> machine.lose(r.settled().node()));
      case 1 -> spares().stream().findFirst().ifPresent(machine::lose);
      case 2 -> grow(new NodeId(fresh));
      case 3 -> getSpare(new NodeId(fresh));
      case 4 -> {
        LaunchId id = new LaunchId("la-" + fresh);
        if (!ranks.isEmpty() && !machine.life.requeuing()) {
          launch(id);
          asked.add(id);
        }
      }
      case 5 -> {
        if (!asked.isEmpty()) {
          granted(asked.removeFirst(), new NodeId(fresh));
        }
      }
      case 6 -> {
        if (!asked.isEmpty()) {
          failed(asked.removeLast(), ErrorCode.NO_CAPACITY);
        }
      }
      case 7 -> pauseOver();
      case 8 -> machine.know(new Fact.Requeued(ID, NOW, List.of()));
      case 9 -> {
        if (machine.life.requeuing() && asked.isEmpty()) {
          machine.know(new Fact.Released(ID, NOW));
          machine.place(slot(new NodeId(fresh)));
        }
      }
      case 10 -> ranks.forEach(rank -> replaceIfLacking(rank, fresh));
      default -> ranks.forEach(rank -> machine.report(rank.rank(), killed()));
    }
  }

  private void replaceIfLacking(RankLife rank, String fresh) {
    if (machine.life.goesOn(rank) && rank.lacksNode()) {
      NodeId to = new NodeId(fresh + "-" + rank.rank());
      machine.know(
          new Fact.Replaced(
              ID,
              NOW,
              List.of(
                  new Fact.Replacement(OptionalInt.of(rank.rank()), rank.node(), slot(to), true))));
    }
  }

  private void check(String when) {
    List<NodeId> held = new ArrayList<>(spares());
    machine.life.ranks().stream()
        .filter(rank -> !rank.lacksNode())
        .forEach(rank -> held.add(rank.settled().node()));
    machine.life.tries().joining().forEach(next -> held.add(next.slot().node()));
    assertThat(held).as(when).doesNotHaveDuplicates();
    if (machine.life.state() != ClusterState.RESTARTING) {
      assertThat(machine.life.tries().joining()).as(when).isEmpty();
    }
  }
}

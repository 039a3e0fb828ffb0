// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.engine.files.SentFiles;
import dev.clustered.core.lifecycle.ClusterMachine;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** An engine, its cloud and its agents in virtual time; the engine may crash and come back. */
final class SimulatedWorld implements Callers {

  /** The engine is gone: what it would have done next is never done. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash() {
      super("simulated", null, false, false);
    }
  }

  final SimulatedTime time = new SimulatedTime();
  final SimulatedStore store = new SimulatedStore();
  final SimulatedCloud cloud;
  final SimulatedAgents agents;
  final Ids ids = new Ids("owner");
  final Map<ClusterId, Integer> ends = new TreeMap<>();
  final List<ClusterId> launched = new ArrayList<>();
  final List<String> told = new ArrayList<>();
  private final List<Message> mailbox = new ArrayList<>();
  private long epoch;
  private Timers timers = new Timers(time::nanos);
  private EngineCore core;

  /** Does something before the engine's turn. */
  Runnable beforeTurn = () -> {};

  /** Looks after every turn. */
  Runnable afterTurn = () -> {};

  SimulatedWorld(Random random, int nodes) {
    cloud = new SimulatedCloud(time, random, nodes);
    agents = new SimulatedAgents(time, random);
    core = begin();
  }

  EngineCore core() {
    return core;
  }

  private EngineConfig config() {
    return Configs.of(Path.of("never-used"), store, time, store.key, epoch);
  }

  private EngineCore begin() {
    epoch++;
    mailbox.clear();
    timers = new Timers(time::nanos);
    EngineCore begun = new EngineCore(config(), ids, timers, this, () -> {});
    begun.restore(store.facts(), this::record);
    long own = epoch;
    Lines lines = agents.lines(message -> post(own, message), epoch);
    Resumption.reconnect(begun.state, lines);
    begun.connect(cloud.reach(message -> post(own, message), agents), lines);
    mailbox.add(EngineCore::resume);
    return begun;
  }

  private void post(long to, Message message) {
    if (to == epoch) {
      mailbox.add(message);
    }
  }

  ClusterRecord record(Fact.Submitted fact) {
    return new ClusterRecord(
        ClusterMachine.submit(fact).life(),
        WorkDocuments.of(fact.spec(), SentFiles.NONE, config()),
        SentFiles.NONE,
        List.of(),
        true);
  }

  void launch(ClusterSpec spec) {
    ClusterRecord record =
        record(
            new Fact.Submitted(
                ids.cluster(),
                time.instant(),
                spec,
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
    post(epoch, reached -> reached.submit(record));
  }

  /**
   * Lets so much time pass; the engine takes its turns meanwhile, and comes back when it crashes.
   */
  void run(Duration duration) {
    long end = time.nanos() + duration.toNanos();
    while (time.nanos() < end) {
      time.doDue();
      try {
        turn();
      } catch (Crash crash) {
        core = begin();
      }
      if (mailbox.isEmpty()) {
        long next = Math.min(time.untilNext(), timers.untilNext().orElse(Long.MAX_VALUE));
        time.pass(Math.min(end - time.nanos(), Math.max(0, next)));
      }
    }
  }

  private void turn() {
    List<Message> batch = new ArrayList<>(mailbox);
    mailbox.clear();
    for (Optional<Message> due = timers.due(); due.isPresent(); due = timers.due()) {
      batch.add(due.get());
    }
    if (!batch.isEmpty()) {
      beforeTurn.run();
      core.turn(batch);
      afterTurn.run();
    }
  }

  @Override
  public void tell(ClusterRecord cluster, ClusterEvent event) {
    told.add(event.toString());
  }

  @Override
  public void ready(ClusterRecord cluster) {}

  @Override
  public void attemptOver(ClusterRecord cluster, int attempt) {}

  @Override
  public void exit(ClusterRecord cluster) {}

  @Override
  public void forgotten(ClusterRecord cluster) {}

  @Override
  public void ended(ClusterRecord cluster) {
    ends.merge(cluster.id, 1, Integer::sum);
  }
}

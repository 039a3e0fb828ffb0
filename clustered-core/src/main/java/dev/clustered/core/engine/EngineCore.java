// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static dev.clustered.core.lifecycle.ClusterLife.Purpose.SPARES;

import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.ClusterMachine;
import dev.clustered.core.lifecycle.Command;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.lifecycle.Transition;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.spi.Instance;
import dev.clustered.spi.Notice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Takes messages in, turns them into facts, applies and journals these, and only then lets their
 * effects begin. Owned by the loop's thread; the threads of users read through {@link
 * ClusterRecord} and {@link #pool}.
 */
final class EngineCore {

  final EngineState state = new EngineState();
  final Accounts accounts = new Accounts();
  private final EngineConfig config;
  private final Journal journal;
  private final Timers timers;
  private final Scheduling scheduling;
  private final Completions completions;
  private final DesiredWorks desired = new DesiredWorks(state);
  private final List<Fact> facts = new ArrayList<>();
  private final List<Runnable> effects = new ArrayList<>();
  private final Set<NodeId> touched = new LinkedHashSet<>();
  private final NodeBook book;
  private final Watches watches;
  private final AgentReports reports;
  private final NodeEvents nodes;
  private Ports ports;
  private volatile List<PoolNode> pool = List.of();

  EngineCore(EngineConfig config, Ids ids, Timers timers, Completions completions) {
    this.config = config;
    this.journal = new Journal(config.store(), 1);
    this.timers = timers;
    this.completions = completions;
    this.scheduling = new Scheduling(this, config, ids, timers);
    this.book = new NodeBook(state, accounts);
    this.watches = new Watches(this, timers, config.silenceLimit());
    this.reports = new AgentReports(this, book);
    this.nodes = new NodeEvents(this, book, scheduling);
    this.ports = Ports.NONE;
  }

  /** What the core reaches outside itself; set once, before the loop starts. */
  record Ports(Optional<Effects> effects, Optional<AgentLinks> links) {
    static final Ports NONE = new Ports(Optional.empty(), Optional.empty());
  }

  void connect(Effects reaching, AgentLinks links) {
    ports = new Ports(Optional.of(reaching), Optional.of(links));
    watches.begin();
  }

  // ---- the turn

  void turn(List<Message> batch) {
    try {
      batch.forEach(message -> message.on(this));
      scheduling.plan();
      journal.append(facts);
      touched.forEach(this::syncDesired);
      // Before the effects: whoever hears of an end may look at the pool at once.
      if (state.takeNodesChanged()) {
        pool = state.nodes.values().stream().map(EngineCore::view).toList();
      }
      List.copyOf(effects).forEach(Runnable::run);
    } finally {
      facts.clear();
      effects.clear();
      touched.clear();
    }
  }

  Instant now() {
    return config.clock().instant();
  }

  /** What is done after this turn's facts are journaled. */
  void effect(java.util.function.Consumer<Effects> effect) {
    effects.add(() -> ports.effects().ifPresent(effect));
  }

  /** Applies a fact and has it journaled. */
  void record(Fact fact) {
    facts.add(fact);
    switch (fact) {
      case Fact.Submitted submitted -> {}
      case Fact.OfCluster ofCluster -> apply(ofCluster);
      case Fact.NodeJoined joined -> nodes.apply(joined);
      case Fact.NodeLost lost -> nodes.apply(lost);
      case Fact.NodeNoticed noticed -> nodes.apply(noticed);
      case Fact.NodesEnding ending -> book.ending(ending.nodes());
      case Fact.NodesEnded ended -> nodes.apply(ended);
    }
  }

  private void apply(Fact.OfCluster fact) {
    state
        .cluster(fact.cluster())
        .ifPresent(
            cluster -> {
              book.before(cluster, fact);
              accept(cluster, ClusterMachine.apply(cluster.life, fact), fact.at());
            });
  }

  void accept(ClusterRecord cluster, Transition transition, Instant at) {
    ClusterLife before = cluster.life;
    cluster.life = transition.life();
    if (before.attempt() != cluster.life.attempt()) {
      cluster.handOvers = List.of();
      cluster.received.clear();
    }
    if (before.attempt() != cluster.life.attempt()
        || before.finished() != cluster.life.finished()) {
      cluster.attemptsChanged();
    }
    // A report changes one rank: what is done for all ranks waits for a change of them all.
    if (before.state() != cluster.life.state()
        || before.ranks().size() != cluster.life.ranks().size()) {
      book.after(cluster, at);
    }
    if (!DesiredWorks.same(before, cluster.life)) {
      before.ranks().forEach(rank -> touched.add(rank.node()));
      cluster.life.ranks().forEach(rank -> touched.add(rank.node()));
    }
    transition.commands().forEach(command -> command(cluster, command));
  }

  private void command(ClusterRecord cluster, Command command) {
    switch (command) {
      case Command.Tell tell -> tell(cluster, tell.event());
      case Command.WatchReady watch ->
          timers.after(
              watch.limit(),
              core -> core.record(new Fact.ReadyTimeoutPassed(cluster.id, core.now())));
      case Command.WatchTimeLimit watch ->
          timers.after(
              watch.limit(), core -> core.record(new Fact.TimeLimitPassed(cluster.id, core.now())));
      case Command.CloseAttempt over -> {
        effects.add(() -> completions.attemptOver(cluster, over.attempt()));
        scheduling.changed(); // Now its nodes could be given back.
      }
      case Command.WatchPause watch ->
          timers.after(
              watch.pause(),
              core -> core.record(new Fact.PauseOver(cluster.id, core.now(), watch.attempt())));
      case Command.WatchSilence watch ->
          timers.after(
              watch.limit(),
              core -> core.record(new Fact.SilencePassed(cluster.id, core.now(), watch.attempt())));
      case Command.WatchPhase watch ->
          timers.after(
              watch.limit(),
              core ->
                  core.record(
                      new Fact.PhaseTimeoutPassed(
                          cluster.id, core.now(), watch.state(), watch.attempt())));
      case Command.LoseNodes lose -> lose.nodes().forEach(node -> nodeLost(node, lose.why()));
      case Command.Requeue requeue -> requeue(cluster);
      case Command.AbandonLaunch abandon -> effect(reach -> reach.abandon(abandon.launch()));
      case Command.Ready ready -> effects.add(() -> completions.ready(cluster));
      case Command.Exit exit -> effects.add(() -> completions.exit(cluster));
      case Command.Release release -> release(cluster);
    }
  }

  /** Has listeners hear of an event after this turn's facts are journaled. */
  void tell(ClusterRecord cluster, ClusterEvent event) {
    effects.add(() -> completions.tell(cluster, event));
  }

  /** Takes a message in after a time. */
  void later(Duration delay, Message message) {
    timers.after(delay, message);
  }

  // ---- clusters

  void submit(ClusterRecord cluster, Transition first) {
    state.clusters.put(cluster.id, cluster);
    facts.add(cluster.life.request());
    ports.links().ifPresent(links -> links.open(cluster));
    accept(cluster, first, cluster.life.request().at());
    scheduling.changed();
  }

  void stop(ClusterId cluster, Duration grace, String why) {
    record(new Fact.StopRequested(cluster, now(), grace, why));
    scheduling.changed();
  }

  private void release(ClusterRecord cluster) {
    giveBack(cluster);
    cluster.life.ranks().stream()
        .map(rank -> rank.node())
        .filter(state.nodes::containsKey)
        .forEach(cluster.leaving::add);
    cluster.held.stream()
        .filter(node -> state.node(node).filter(NodeBook::isGoing).isPresent())
        .forEach(cluster.leaving::add);
    releasedWhenAllLeft(cluster);
    scheduling.changed();
  }

  /** Nothing of the attempt runs any more; an agent may still be deleting what it left. */
  private void requeue(ClusterRecord cluster) {
    giveBack(cluster);
    cluster.held.stream()
        .filter(cluster.listing::contains)
        .filter(state.nodes::containsKey)
        .forEach(cluster.leaving::add);
    releasedWhenAllLeft(cluster);
    scheduling.changed();
  }

  private void giveBack(ClusterRecord cluster) {
    List<NodeId> idle = book.release(cluster, now(), config.idleNodeTime());
    touched.addAll(cluster.held);
    if (!idle.isEmpty()) {
      endNodes(idle);
    }
  }

  void releasedWhenAllLeft(ClusterRecord cluster) {
    if (!cluster.leaving.isEmpty() || cluster.life.state().ended()) {
      return;
    }
    if (cluster.life.requeuing()) {
      // What is being given back is waited for at the cluster's end.
      cluster.held.removeIf(node -> state.node(node).filter(NodeBook::isGoing).isEmpty());
      record(new Fact.Released(cluster.id, now()));
      scheduling.changed();
    } else if (cluster.life.finished()) {
      record(new Fact.Released(cluster.id, now()));
      state.clusters.remove(cluster.id);
      ports.links().ifPresent(links -> links.close(cluster.id));
      effects.add(() -> completions.ended(cluster));
    }
  }

  /** Shows what the planner sees, and changes nothing. */
  void show(CompletableFuture<Preview.Sight> to) {
    scheduling.show(to);
  }

  // ---- launches

  void offersKnown(long question, KnownOffers known) {
    scheduling.offersKnown(question, known);
  }

  void launchGranted(Fact.LaunchDecided decided, List<Instance> instances) {
    state.launches.remove(decided.launch());
    state.cluster(decided.cluster()).ifPresent(cluster -> cluster.spares.granted());
    List<Fact.Granted> nodes =
        instances.stream().map(i -> new Fact.Granted(i.node(), i.id(), i.topology())).toList();
    record(book.grant(decided, nodes, now()));
    watches.booting(decided.nodes(), decided.offer().bootTime());
    for (NodeId node : decided.nodes()) {
      Optional.ofNullable(state.earlyJoins.remove(node)).ifPresent(from -> joined(node, from));
    }
    scheduling.changed();
  }

  void launchFailed(Fact.LaunchDecided decided, ErrorCode code, String message) {
    state.launches.remove(decided.launch());
    decided.nodes().forEach(this::forget);
    if (code != ErrorCode.CANCELLED) { // That one says nothing of the zone.
      scheduling.coolDown(decided, message);
    }
    state
        .cluster(decided.cluster())
        .filter(c -> c.life.purpose(decided.launch()).filter(SPARES::equals).isPresent())
        .ifPresent(scheduling::spareFailed);
    record(new Fact.LaunchFailed(decided.cluster(), now(), decided.launch(), code, message));
    scheduling.changed();
  }

  // ---- nodes

  void joined(NodeId node, String address) {
    nodes.joined(node, address);
  }

  void nodeLost(NodeId node, String message) {
    nodes.lost(node, message);
  }

  void noticed(Notice notice) {
    nodes.noticed(notice);
  }

  void endNodes(List<NodeId> which) {
    nodes.end(which);
  }

  void nodesEnded(List<NodeId> which) {
    record(new Fact.NodesEnded(which, now()));
    scheduling.offersChanged();
  }

  void left(ClusterRecord cluster, List<NodeId> nodes) {
    if (cluster.leaving.removeAll(nodes)) {
      releasedWhenAllLeft(cluster);
    }
  }

  void forget(NodeId node) {
    state.earlyJoins.remove(node);
    ports.links().ifPresent(links -> links.forget(node));
  }

  // ---- what agents say

  void observed(NodeId node, ObservedState observed) {
    reports.observed(node, observed);
  }

  /** The newest generation of what is desired of a node. */
  long desiredGeneration(NodeId node) {
    return ports.links().map(links -> links.desire(node, desired.of(node))).orElse(0L);
  }

  /** How long a node's agent has not been heard. */
  Duration silence(NodeId node) {
    return ports.links().map(links -> links.silence(node)).orElse(Duration.ZERO);
  }

  private void syncDesired(NodeId node) {
    ports.links().ifPresent(links -> links.desire(node, desired.of(node)));
  }

  /** The pool as of the last turn; may be read from any thread. */
  List<PoolNode> pool() {
    return pool;
  }

  private static PoolNode view(NodeLife node) {
    return new PoolNode(
        node.id(),
        node.offer().backend(),
        node.offer().shape(),
        node.topology(),
        node.state(),
        node.holders().stream().map(NodeLife.Holder::cluster).toList());
  }
}

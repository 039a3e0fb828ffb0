// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.ObservedWork;
import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.ClusterMachine;
import dev.clustered.core.lifecycle.Command;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.lifecycle.Transition;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.spi.Instance;
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
      case Fact.NodeJoined joined -> nodeJoined(joined.node(), joined.at(), joined.address());
      case Fact.NodeLost lost -> lost(lost.node(), lost.at(), lost.message());
      case Fact.NodesEnding ending -> book.ending(ending.nodes());
      case Fact.NodesEnded ended -> ended(ended.nodes(), ended.at());
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

  private void accept(ClusterRecord cluster, Transition transition, Instant at) {
    ClusterLife before = cluster.life;
    cluster.life = transition.life();
    if (before.attempt() != cluster.life.attempt()) {
      cluster.handOvers = List.of();
    }
    // A report changes one rank: what is done for all ranks waits for a change of them all.
    if (before.state() != cluster.life.state()
        || before.ranks().size() != cluster.life.ranks().size()) {
      book.after(cluster, at);
    }
    if (!DesiredWorks.same(before, cluster.life)) {
      cluster.life.ranks().forEach(rank -> touched.add(rank.node()));
    }
    transition.commands().forEach(command -> command(cluster, command));
  }

  private void command(ClusterRecord cluster, Command command) {
    switch (command) {
      case Command.Tell tell -> effects.add(() -> completions.tell(cluster, tell.event()));
      case Command.WatchReady watch ->
          timers.after(
              watch.limit(),
              core -> core.record(new Fact.ReadyTimeoutPassed(cluster.id, core.now())));
      case Command.WatchTimeLimit watch ->
          timers.after(
              watch.limit(), core -> core.record(new Fact.TimeLimitPassed(cluster.id, core.now())));
      case Command.CloseAttempt over ->
          effects.add(() -> completions.attemptOver(cluster, over.attempt()));
      case Command.WatchPause watch ->
          timers.after(
              watch.pause(),
              core -> core.record(new Fact.PauseOver(cluster.id, core.now(), watch.attempt())));
      case Command.AbandonLaunch abandon -> effect(reach -> reach.abandon(abandon.launch()));
      case Command.Ready ready -> effects.add(() -> completions.ready(cluster));
      case Command.Exit exit -> effects.add(() -> completions.exit(cluster));
      case Command.Release release -> release(cluster);
    }
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
    List<NodeId> idle = book.release(cluster, now(), config.idleNodeTime());
    cluster.life.ranks().forEach(rank -> touched.add(rank.node()));
    cluster.life.ranks().stream()
        .map(rank -> rank.node())
        .filter(state.nodes::containsKey)
        .forEach(cluster.leaving::add);
    if (!idle.isEmpty()) {
      endNodes(idle);
    }
    releasedWhenAllLeft(cluster);
    scheduling.changed();
  }

  private void releasedWhenAllLeft(ClusterRecord cluster) {
    if (cluster.leaving.isEmpty() && cluster.life.finished() && !cluster.life.state().ended()) {
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
    record(new Fact.LaunchFailed(decided.cluster(), now(), decided.launch(), code, message));
    scheduling.changed();
  }

  // ---- nodes

  void joined(NodeId node, String address) {
    if (state.nodes.containsKey(node)) {
      record(new Fact.NodeJoined(node, now(), address));
    } else {
      state.earlyJoins.put(node, address);
    }
  }

  private void nodeJoined(NodeId node, Instant at, String address) {
    book.joined(node, at, address);
    for (ClusterRecord cluster : state.holders(node)) {
      accept(cluster, ClusterMachine.nodeJoined(cluster.life, node, at), at);
    }
    scheduling.changed();
  }

  void nodeLost(NodeId node, String message) {
    boolean held =
        state
            .node(node)
            .filter(
                life ->
                    life.state() == PoolNode.State.BOOTING || life.state() == PoolNode.State.READY)
            .isPresent();
    if (held) {
      record(new Fact.NodeLost(node, now(), message));
    }
  }

  private void lost(NodeId node, Instant at, String message) {
    List<ClusterRecord> holders = state.holders(node);
    book.lost(node);
    for (ClusterRecord cluster : holders) {
      accept(cluster, ClusterMachine.nodeLost(cluster.life, node, message, at), at);
    }
    effects.add(() -> ports.links().ifPresent(links -> links.lost(node, message)));
    endNodes(List.of(node));
    scheduling.changed();
  }

  /** Gives nodes back that are not being given back already. */
  void endNodes(List<NodeId> nodes) {
    List<NodeLife> ending =
        nodes.stream()
            .flatMap(node -> state.node(node).stream())
            .filter(life -> life.state() != PoolNode.State.ENDING)
            .toList();
    if (ending.isEmpty()) {
      return;
    }
    record(new Fact.NodesEnding(ending.stream().map(NodeLife::id).toList(), now()));
    NodeBook.byBackend(ending)
        .forEach(
            (backend, lives) ->
                effect(
                    reach ->
                        reach.terminate(
                            backend,
                            lives.stream().map(NodeLife::instance).toList(),
                            lives.stream().map(NodeLife::id).toList())));
  }

  void nodesEnded(List<NodeId> nodes) {
    record(new Fact.NodesEnded(nodes, now()));
    scheduling.offersChanged();
  }

  private void ended(List<NodeId> nodes, Instant at) {
    nodes.forEach(
        node -> {
          book.ended(node, at);
          forget(node);
        });
    List.copyOf(state.clusters.values()).forEach(cluster -> left(cluster, nodes));
  }

  private void left(ClusterRecord cluster, List<NodeId> nodes) {
    if (cluster.leaving.removeAll(nodes)) {
      releasedWhenAllLeft(cluster);
    }
  }

  private void forget(NodeId node) {
    state.earlyJoins.remove(node);
    ports.links().ifPresent(links -> links.forget(node));
  }

  // ---- what agents say

  void observed(NodeId node, ObservedState observed) {
    for (ObservedWork work : observed.work()) {
      state
          .cluster(work.cluster())
          .filter(cluster -> cluster.life.attempt() == work.attempt())
          .filter(cluster -> cluster.life.on(node).filter(r -> r.rank() == work.rank()).isPresent())
          .ifPresent(cluster -> reported(cluster, work));
    }
    state.clusters.values().stream()
        .filter(cluster -> cluster.leaving.contains(node))
        .filter(cluster -> forgotten(cluster, node, observed))
        .toList()
        .forEach(cluster -> left(cluster, List.of(node)));
  }

  private void reported(ClusterRecord cluster, ObservedWork work) {
    Reports.of(work.status())
        .filter(report -> !book.known(cluster, work.rank(), report))
        .ifPresent(
            report ->
                record(
                    new Fact.RankReported(cluster.id, now(), work.attempt(), work.rank(), report)));
  }

  private boolean forgotten(ClusterRecord cluster, NodeId node, ObservedState observed) {
    boolean ending =
        state.node(node).filter(life -> life.state() == PoolNode.State.ENDING).isPresent();
    boolean listed = observed.work().stream().anyMatch(w -> w.cluster().equals(cluster.id));
    long current = ports.links().map(links -> links.desire(node, desired.of(node))).orElse(0L);
    return !ending && !listed && observed.generation() >= current;
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

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.core.lifecycle.Command;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.Orphan;
import dev.clustered.model.PoolNode;
import dev.clustered.spi.Instance;
import dev.clustered.spi.Notice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages in, turns them into facts, applies and journals these, and only then lets their
 * effects begin. Owned by the loop's thread; the threads of users read through {@link
 * ClusterRecord} and {@link #pool}.
 */
final class EngineCore {

  private static final Logger log = LoggerFactory.getLogger(EngineCore.class);

  /** Soon, since an engine before this one may have left something; agents report meanwhile. */
  private static final Duration UNTIL_FIRST_LIST = Duration.ofSeconds(5);

  final EngineState state = new EngineState();
  final Accounts accounts = new Accounts();
  private final EngineConfig config;
  private final Journal journal;
  private final Timers timers;
  private final Scheduling scheduling;
  private final Callers callers;
  private final DesiredWorks desired;
  private final StateChanges changes;

  /** Facts of this turn, in the order in which they were applied. */
  private final List<Fact> facts = new ArrayList<>();

  /** Facts that wait until the one before them is applied. */
  private final Deque<Fact> following = new ArrayDeque<>();

  private boolean applying;

  /** Whether this turn does something outside. */
  private boolean reaching;

  private final List<Runnable> effects = new ArrayList<>();
  private final Set<NodeId> touched = new LinkedHashSet<>();
  private final Map<ClusterId, ClusterRecord> arriving = new TreeMap<>();
  private final NodeBook book;
  private final Watches watches;
  private final AgentReports reports;
  private final Reconciliation reconciliation;
  private final NodeEvents nodes;
  private final Launches launches;
  private Ports ports;
  private volatile List<PoolNode> pool = List.of();

  EngineCore(EngineConfig config, Ids ids, Timers timers, Callers callers, Leadership leadership) {
    this.config = config;
    this.journal = new Journal(config.store(), config.epoch(), config.key(), leadership);
    this.desired = new DesiredWorks(state, config.key());
    this.timers = timers;
    this.callers = callers;
    this.scheduling = new Scheduling(this, config, ids, timers);
    this.book = new NodeBook(state, accounts);
    this.changes =
        new StateChanges(
            state,
            book,
            fact -> Objects.requireNonNull(arriving.remove(fact.cluster())),
            config.idleNodeTime(),
            new Doing());
    this.watches = new Watches(this, timers, config.silenceLimit());
    this.reports = new AgentReports(this, book);
    this.reconciliation = new Reconciliation(this, timers, config.silenceLimit());
    this.nodes = new NodeEvents(this, scheduling);
    this.launches = new Launches(this, book, watches, scheduling);
    this.ports = new Ports(Optional.empty(), Optional.empty());
  }

  /** What the core reaches outside itself; set once, before the loop starts. */
  record Ports(Optional<Reach> reach, Optional<Lines> lines) {}

  void connect(Reach reach, Lines lines) {
    ports = new Ports(Optional.of(reach), Optional.of(lines));
    watches.begin();
    reconciliation.begin(UNTIL_FIRST_LIST);
  }

  // ---- after a start

  /** Makes the state of what an engine before this one has written down; nothing is done yet. */
  void restore(List<Fact> written, Function<Fact.Submitted, ClusterRecord> records) {
    StateChanges silent =
        new StateChanges(state, book, records, config.idleNodeTime(), StateChanges.Outcome.NONE);
    written.forEach(silent::apply);
    showPool();
  }

  /** Goes on with what is restored; the first message that the loop takes in. */
  void resume() {
    new Resumption(this, timers, watches, nodes).resume(callers);
    touched.addAll(state.nodes.keySet());
    scheduling.changed();
  }

  // ---- the turn

  /** Takes messages in. One that fails changes nothing of what the others do. */
  void turn(List<Message> batch) {
    try {
      for (Message message : batch) {
        alone("a message", () -> message.on(this));
      }
      alone("planning", scheduling::plan);
      if (reaching || !facts.isEmpty()) {
        journal.append(facts); // Also without any: whoever is deposed must not act.
      }
      touched.forEach(this::syncDesired);
      // Before the effects: whoever hears of an end may look at the pool at once.
      showPool();
      for (Runnable effect : List.copyOf(effects)) {
        alone("an effect", effect);
      }
    } finally {
      facts.clear();
      effects.clear();
      reaching = false;
      touched.clear();
    }
  }

  private void showPool() {
    if (state.takeNodesChanged()) {
      pool = state.nodes.values().stream().map(NodeBook::view).toList();
    }
  }

  private static void alone(String what, Runnable part) {
    try {
      part.run();
    } catch (RuntimeException e) {
      log.error("A turn of the engine went on without {}, which failed", what, e);
    }
  }

  Instant now() {
    return config.clock().instant();
  }

  /** What is done after this turn's facts are journaled. */
  void effect(Consumer<Reach> effect) {
    reaching = true;
    effects.add(() -> ports.reach().ifPresent(effect));
  }

  /**
   * Applies a fact and has it journaled. One that follows from another is applied after it, as when
   * the journal is read again.
   */
  void record(Fact fact) {
    following.add(fact);
    if (applying) {
      return;
    }
    applying = true;
    try {
      for (Fact next = following.poll(); next != null; next = following.poll()) {
        changes.apply(next);
        facts.add(next); // A fact that could not be applied is none.
      }
    } finally {
      following.clear();
      applying = false;
    }
  }

  /** Does what follows from facts that are new. */
  private final class Doing implements StateChanges.Outcome {

    @Override
    public void command(ClusterRecord cluster, Command command) {
      EngineCore.this.command(cluster, command);
    }

    @Override
    public void touched(NodeId node) {
      touched.add(node);
    }

    @Override
    public void gaveBack(ClusterRecord cluster, List<NodeId> idle) {
      if (!idle.isEmpty()) {
        endNodes(idle);
      }
      releasedWhenAllLeft(cluster);
      scheduling.changed();
    }

    @Override
    public void left(ClusterRecord cluster) {
      releasedWhenAllLeft(cluster);
    }

    @Override
    public void ended(ClusterRecord cluster) {
      ports.lines().ifPresent(lines -> lines.close(cluster.id));
      effects.add(() -> callers.ended(cluster));
    }

    @Override
    public void forgotten(ClusterRecord cluster) {
      effects.add(() -> callers.forgotten(cluster));
    }
  }

  private void command(ClusterRecord cluster, Command command) {
    switch (command) {
      case Command.Tell tell -> tell(cluster, tell.event());
      case Command.WatchReady watch -> after(cluster, watch.limit(), command);
      case Command.WatchTimeLimit watch -> after(cluster, watch.limit(), command);
      case Command.WatchPause watch -> after(cluster, watch.pause(), command);
      case Command.WatchSilence watch -> after(cluster, watch.limit(), command);
      case Command.WatchPhase watch -> after(cluster, watch.limit(), command);
      case Command.CloseAttempt over -> {
        effects.add(() -> callers.attemptOver(cluster, over.attempt()));
        scheduling.changed(); // Now its nodes could be given back.
      }
      case Command.LoseNodes lose -> lose.nodes().forEach(node -> nodeLost(node, lose.why()));
      case Command.AbandonLaunch abandon -> effect(reach -> reach.abandon(abandon.launch()));
      case Command.Ready ready -> effects.add(() -> callers.ready(cluster));
      case Command.Exit exit -> effects.add(() -> callers.exit(cluster));
      case Command.Requeue requeue -> {} // What follows is told as given back.
      case Command.Release release -> {}
    }
  }

  private void after(ClusterRecord cluster, Duration limit, Command command) {
    Watch watch = new Watch(Instant.EPOCH, command);
    timers.after(limit, core -> core.record(watch.passed(cluster.id, core.now())));
  }

  /** Has listeners hear of an event after this turn's facts are journaled. */
  void tell(ClusterRecord cluster, ClusterEvent event) {
    effects.add(() -> callers.tell(cluster, event));
  }

  /** Takes a message in after a time. */
  void later(Duration delay, Message message) {
    timers.after(delay, message);
  }

  // ---- clusters

  void submit(ClusterRecord cluster) {
    arriving.put(cluster.id, cluster);
    ports.lines().ifPresent(lines -> lines.open(cluster));
    try {
      record(cluster.life.request());
    } catch (RuntimeException e) {
      cluster.accepted.completeExceptionally(e); // Its caller waits.
      throw e;
    }
    effects.add(() -> cluster.accepted.complete(cluster.id));
    scheduling.changed();
  }

  void stop(ClusterId cluster, Duration grace, String why) {
    record(new Fact.StopRequested(cluster, now(), grace, why));
    scheduling.changed();
  }

  void releasedWhenAllLeft(ClusterRecord cluster) {
    boolean over = cluster.life.requeuing() || cluster.life.finished();
    if (cluster.leaving.isEmpty() && !cluster.life.state().ended() && over) {
      record(new Fact.Released(cluster.id, now()));
      scheduling.changed();
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
    launches.granted(decided, instances);
  }

  void launchFailed(Fact.LaunchDecided decided, ErrorCode code, String message) {
    launches.failed(decided, code, message);
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
    nodes.ended(which);
    reconciliation.nodesEnded(which);
  }

  void listed(String backend, List<Instance> instances) {
    reconciliation.listed(backend, instances);
  }

  void orphansEnded(String backend, List<String> instances) {
    reconciliation.ended(backend, instances);
    scheduling.offersChanged();
  }

  /** Instances of nobody that were found; may be read from any thread. */
  List<Orphan> orphans() {
    return reconciliation.orphans();
  }

  void left(ClusterRecord cluster, List<NodeId> nodes) {
    if (cluster.leaving.removeAll(nodes)) {
      releasedWhenAllLeft(cluster);
    }
  }

  void forget(NodeId node) {
    state.earlyJoins.remove(node);
    ports.lines().ifPresent(lines -> lines.forget(node));
  }

  // ---- what agents say

  void observed(NodeId node, ObservedState observed) {
    reports.observed(node, observed);
  }

  /** The newest generation of what is desired of a node. */
  long desiredGeneration(NodeId node) {
    return ports.lines().map(lines -> lines.desire(node, desired.of(node))).orElse(0L);
  }

  /** How long a node's agent has not been heard. */
  Duration silence(NodeId node) {
    return ports.lines().map(lines -> lines.silence(node)).orElse(Duration.ZERO);
  }

  private void syncDesired(NodeId node) {
    ports.lines().ifPresent(lines -> lines.desire(node, desired.of(node)));
  }

  /** The pool as of the last turn; may be read from any thread. */
  List<PoolNode> pool() {
    return pool;
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Launch;
import dev.clustered.PendingCluster;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.core.backends.BackendRegistry;
import dev.clustered.core.control.ControlServer;
import dev.clustered.core.control.Refusals;
import dev.clustered.core.control.Transfers;
import dev.clustered.core.engine.files.FileSnapshot;
import dev.clustered.core.engine.files.SentFiles;
import dev.clustered.core.engine.logs.LogStore;
import dev.clustered.core.lifecycle.ClusterMachine;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.lifecycle.Transition;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.FabricReport;
import dev.clustered.model.FabricReport.Evidence;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.Node;
import dev.clustered.model.NodeId;
import dev.clustered.model.PoolNode;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.Usage;
import dev.clustered.spi.Feature;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;

/** The control plane: puts the loop, the endpoint and the backends together. */
public final class Engine implements ClusterEngine {

  private final EngineConfig config;
  private final BackendRegistry backends;
  private final Ids ids;
  private final LogStore logs;
  private final EventDispatcher dispatcher = new EventDispatcher();
  private final EngineCore core;
  private final EngineLoop loop;
  private final Execs execs;
  private final ControlServer control;
  private final Effects effects;
  private final Map<ClusterId, ClusterRecord> records = new ConcurrentSkipListMap<>();

  /** Those who wait to be shown a snapshot. */
  private final Map<ClusterId, CompletableFuture<Preview.Sight>> looks = new ConcurrentHashMap<>();

  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private boolean closing;

  /** An engine over opened backends; {@link #start} brings it to life. */
  public Engine(EngineConfig config, BackendRegistry backends, LongSupplier nanoTime) {
    this.config = config;
    this.backends = backends;
    this.ids = new Ids(config.owner());
    this.logs = new LogStore(config.logs());
    Timers timers = new Timers(nanoTime);
    Completions completions =
        new Completions(
            dispatcher, config.listeners(), logs, record -> new ClusterHandle(this, record));
    this.core = new EngineCore(config, ids, timers, completions);
    this.loop = new EngineLoop(core, timers);
    AgentLinks links = new AgentLinks(nanoTime, config, logs, inbox());
    this.execs = links.execs();
    this.control = ControlServer.open(links, config.clock());
    this.effects = new Effects(backends, control, links, config.owner(), loop::post);
    core.connect(effects, links);
  }

  private AgentLinks.Inbox inbox() {
    return new AgentLinks.Inbox() {
      @Override
      public void joined(NodeId node, String address) {
        loop.post(reached -> reached.joined(node, address));
      }

      @Override
      public void observed(NodeId node, ObservedState state) {
        loop.post(reached -> reached.observed(node, state));
      }
    };
  }

  /** Starts the loop. */
  public Engine start() {
    loop.start();
    return this;
  }

  @Override
  public Launch launch(ClusterSpec spec) {
    return LaunchRequestForm.of(
        new LaunchRequestForm.LaunchHost() {
          @Override
          public PendingCluster start(LaunchRequestForm form) {
            return submit(form);
          }

          @Override
          public LaunchPreview plan(LaunchRequestForm form) {
            return preview(form);
          }
        },
        spec);
  }

  private Fact.Submitted fact(LaunchRequestForm form) {
    Optional<String> backend = Admission.backend(form, backends);
    return new Fact.Submitted(
        ids.cluster(),
        config.clock().instant(),
        form.spec(),
        form.rdma(),
        backend,
        form.readyTimeout());
  }

  /** Says what would become of a launch. */
  public LaunchPreview preview(LaunchRequestForm form) {
    Fact.Submitted launch = fact(form);
    CompletableFuture<Preview.Sight> sight = new CompletableFuture<>();
    try {
      look(launch.cluster(), sight);
      return Preview.of(Waiting.patiently(sight), launch);
    } finally {
      looks.remove(launch.cluster());
    }
  }

  /** One at a time with {@link #refuseLaunches}, so that a close ends every look. */
  private synchronized void look(ClusterId launch, CompletableFuture<Preview.Sight> sight) {
    requireOpen();
    looks.put(launch, sight);
    loop.post(reached -> reached.show(sight));
  }

  /** Takes a launch in. */
  public PendingCluster submit(LaunchRequestForm form) {
    Fact.Submitted fact = fact(form);
    Transition first = ClusterMachine.submit(fact);
    SentFiles sent = FileSnapshot.take(form.spec());
    ClusterRecord record =
        new ClusterRecord(
            first.life(), WorkDocuments.of(form.spec(), sent, config), sent, form.listeners());
    admit(record, first);
    return new PendingHandle(this, record);
  }

  /** One at a time with {@link #refuseLaunches}, so that a close ends every launch let in. */
  private synchronized void admit(ClusterRecord record, Transition first) {
    requireOpen();
    records.put(record.id, record);
    record.life.request().spec().logLimit().ifPresent(most -> logs.limit(record.id, most));
    loop.post(reached -> reached.submit(record, first));
  }

  private void requireOpen() {
    if (closing) {
      throw closedAlready();
    }
  }

  private static ClusterException closedAlready() {
    return new ClusterException(
        ErrorCode.ENGINE_CLOSED, "the engine is closed; open another one to launch clusters");
  }

  /** Whether this call is the first. */
  private synchronized boolean refuseLaunches() {
    boolean first = !closing;
    closing = true;
    return first;
  }

  @Override
  public Optional<Cluster> find(ClusterId id) {
    return Optional.ofNullable(records.get(id))
        .filter(record -> record.ready.isDone() && !record.ready.isCompletedExceptionally())
        .map(record -> new ClusterHandle(this, record));
  }

  @Override
  public List<Cluster> clusters() {
    return records.values().stream()
        .filter(record -> record.life.tries().ran())
        .filter(record -> record.life.state().compareTo(ClusterState.STOPPING) < 0)
        .map(record -> (Cluster) new ClusterHandle(this, record))
        .toList();
  }

  @Override
  public List<PendingCluster> pending() {
    return records.values().stream()
        .filter(record -> !record.life.tries().ran())
        .filter(record -> record.life.state().compareTo(ClusterState.STOPPING) < 0)
        .map(record -> (PendingCluster) new PendingHandle(this, record))
        .toList();
  }

  @Override
  public List<PoolNode> pool() {
    return core.pool();
  }

  @Override
  public Usage usage() {
    return core.accounts.usage(config.clock().instant());
  }

  Usage usage(ClusterId cluster) {
    return core.accounts.usage(cluster, config.clock().instant());
  }

  Execs execs() {
    return execs;
  }

  LogStore logs() {
    return logs;
  }

  /** What the control endpoint refused so far. */
  public Refusals refusals() {
    return control.refusals();
  }

  /** What was sent of files so far. */
  public Transfers transfers() {
    return control.transfers();
  }

  /** Where agents dial. */
  public java.net.URI controlAddress() {
    return control.address();
  }

  Optional<FabricReport> fabric(ClusterRecord record) {
    List<Node> nodes = record.nodes;
    if (record.life.request().rdma().isEmpty() || nodes.isEmpty()) {
      return Optional.empty();
    }
    Node leader = nodes.getFirst();
    boolean simulated =
        backends
            .find(leader.backend())
            .filter(backend -> backend.has(Feature.SIMULATED_RDMA))
            .isPresent();
    return Optional.of(
        new FabricReport(
            leader.topology().at(TopologyPath.ZONE).orElse(""),
            leader.topology().at(TopologyPath.FABRIC).orElse(""),
            leader.shape().rdmaGigabits(),
            simulated ? Evidence.SIMULATED : Evidence.REPORTED));
  }

  /** Ends a cluster and returns when nothing of it is left. */
  void stop(ClusterRecord record, Duration grace, String why) {
    if (!record.ended.isDone()) {
      loop.post(reached -> reached.stop(record.id, grace, why));
    }
    Waiting.patiently(record.ended);
  }

  @Override
  public void close() {
    if (!refuseLaunches()) {
      Waiting.patiently(closed);
      return;
    }
    looks.values().forEach(look -> look.completeExceptionally(closedAlready()));
    for (ClusterRecord record : records.values()) {
      Duration grace = record.life.request().spec().grace();
      loop.post(reached -> reached.stop(record.id, grace, "its engine was closed"));
    }
    records.values().forEach(record -> Waiting.patiently(record.ended));
    endPool();
    try (Closer closer = new Closer()) {
      closer.add("journal", config.store()::close);
      closer.add("directory", () -> Directories.delete(config.directory()));
      closer.add("logs", logs::close);
      closer.add("events", dispatcher::close);
      closer.add("control endpoint", control::close);
      closer.add("backends", backends::close);
      closer.add("effects", effects::close);
      closer.add("loop", loop::stop);
    } finally {
      closed.complete(null);
    }
  }

  private void endPool() {
    CompletableFuture<Void> empty = new CompletableFuture<>();
    loop.post(reached -> endPool(reached, empty));
    Waiting.patiently(empty);
  }

  private void endPool(EngineCore reached, CompletableFuture<Void> empty) {
    List<NodeId> held = reached.state.nodes.values().stream().map(NodeLife::id).toList();
    if (held.isEmpty() && reached.state.launches.isEmpty()) {
      empty.complete(null);
      return;
    }
    reached.endNodes(held);
    reached.later(Duration.ofMillis(5), again -> endPool(again, empty));
  }

  /** When the engine's clock says it is. */
  Instant now() {
    return config.clock().instant();
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.Cluster;
import dev.clustered.ClusterEngine;
import dev.clustered.Launch;
import dev.clustered.PendingCluster;
import dev.clustered.core.backends.BackendRegistry;
import dev.clustered.core.control.ControlServer;
import dev.clustered.core.control.Refusals;
import dev.clustered.core.control.Transfers;
import dev.clustered.core.engine.files.FileSnapshot;
import dev.clustered.core.engine.files.SentFiles;
import dev.clustered.core.engine.logs.LogStore;
import dev.clustered.core.lifecycle.ClusterMachine;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.FabricReport;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.LaunchPreview;
import dev.clustered.model.Orphan;
import dev.clustered.model.PoolNode;
import dev.clustered.model.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The control plane: puts the loop, the endpoint and the backends together. */
public final class Engine implements ClusterEngine {

  private static final Logger log = LoggerFactory.getLogger(Engine.class);

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
  private final ClusterRegister clusters;
  private final Ending ending;

  /** Those who wait to be shown a snapshot. */
  private final Map<ClusterId, CompletableFuture<Preview.Sight>> looks = new ConcurrentHashMap<>();

  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private boolean closing;
  private final Reign reign;

  /** Why the engine does not act any more, though nobody has closed it. */
  private Optional<ClusterException> stopped = Optional.empty();

  /**
   * An engine over opened backends; {@link #start} brings it to life.
   *
   * @param written what an engine before this one has written down
   */
  public Engine(
      EngineConfig config,
      BackendRegistry backends,
      LongSupplier nanoTime,
      Reign reign,
      List<Fact> written) {
    this.config = config;
    this.backends = backends;
    this.reign = reign;
    this.ids = new Ids(config.owner());
    this.logs = new LogStore(config.logs());
    this.clusters = new ClusterRegister(logs, config.logDirectory().isPresent());
    Timers timers = new Timers(nanoTime);
    Completions completions =
        new Completions(
            dispatcher,
            config.listeners(),
            logs,
            record -> new ClusterHandle(this, record),
            clusters::forget);
    this.core = new EngineCore(config, ids, timers, completions, reign);
    this.loop = new EngineLoop(core, timers, this::deposed);
    this.ending = new Ending(loop, clusters);
    AgentLinks links = new AgentLinks(nanoTime, config, logs, loop);
    this.execs = links.execs();
    restore(written, links);
    this.control =
        ControlServer.open(links, config.identity().certificate(), config.identity().port());
    this.effects = new Effects(backends, control, links, config.owner(), loop::post);
    core.connect(effects, links);
    reign.whenDeposed(() -> loop.post(reached -> reached.effect(reach -> {})));
  }

  /** Before the endpoint is open: an agent that nobody knows yet would be refused, and end. */
  private void restore(List<Fact> written, AgentLinks links) {
    core.restore(written, this::restored);
    written.forEach(this::knowIdentities);
    core.state.ended.values().forEach(clusters::add);
    core.state.clusters.values().forEach(clusters::add);
    Resumption.reconnect(core.state, links);
    loop.post(EngineCore::resume);
  }

  private void knowIdentities(Fact fact) {
    if (fact instanceof Fact.LaunchDecided decided) {
      ids.after(decided.launch().value());
    } else if (fact instanceof Fact.Submitted submitted) {
      ids.after(submitted.cluster().value());
    }
  }

  private ClusterRecord restored(Fact.Submitted fact) {
    SentFiles sent = SentFiles.NONE;
    try {
      sent = FileSnapshot.take(fact.spec());
    } catch (InvalidSpecException e) {
      log.warn(
          "Files of a cluster are not what they were; an attempt to come may fail cluster={}",
          fact.cluster(),
          e);
    }
    return new ClusterRecord(
        ClusterMachine.submit(fact).life(),
        WorkDocuments.of(fact.spec(), sent, config),
        sent,
        List.of(),
        true);
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
    Optional<String> backend = Admission.backend(form, backends, config);
    return new Fact.Submitted(
        ids.cluster(),
        config.clock().instant(),
        form.spec(),
        form.rdma(),
        backend,
        form.readyTimeout(),
        form.key(),
        form.lifetime());
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
    SentFiles sent = FileSnapshot.take(form.spec());
    ClusterRecord record =
        new ClusterRecord(
            ClusterMachine.submit(fact).life(),
            WorkDocuments.of(form.spec(), sent, config),
            sent,
            form.listeners());
    ClusterRecord admitted = admit(record, form);
    Waiting.patiently(admitted.accepted); // A cluster that was answered for must not be lost.
    return new PendingHandle(this, admitted);
  }

  /**
   * One at a time with {@link #refuseLaunches}, so that a close ends every launch let in; of
   * launches with one key the first is let in.
   */
  private synchronized ClusterRecord admit(ClusterRecord record, LaunchRequestForm form) {
    requireOpen();
    ClusterRecord admitted = clusters.admit(record, form);
    if (admitted == record) {
      loop.post(reached -> reached.submit(record));
    }
    return admitted;
  }

  /** Another engine acts by now: whoever waits here would wait for ever. */
  private void deposed(ClusterException why) {
    log.warn("The engine stops acting", why);
    synchronized (this) { // No launch is let in after those that are failed here.
      stopped = Optional.of(why);
    }
    looks.values().forEach(look -> look.completeExceptionally(why));
    ending.fail(why);
    // The one that acts by now listens where this one did.
    Thread.ofVirtual().name("clustered-deposed").start(control::close);
    for (ClusterRecord record : clusters.all()) {
      record.accepted.completeExceptionally(why);
      record.exit.completeExceptionally(why);
      record.ended.completeExceptionally(why);
      record.ready.completeExceptionally(why);
    }
  }

  private void requireOpen() {
    if (closing) {
      throw closedAlready();
    }
    stopped.ifPresent(
        why -> {
          throw why;
        });
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
    return clusters
        .find(id)
        .filter(record -> record.life.tries().ran())
        .map(record -> new ClusterHandle(this, record));
  }

  @Override
  public List<Cluster> clusters() {
    return clusters.all().stream()
        .filter(record -> record.life.tries().ran())
        .filter(record -> record.life.state().compareTo(ClusterState.STOPPING) < 0)
        .map(record -> (Cluster) new ClusterHandle(this, record))
        .toList();
  }

  @Override
  public List<PendingCluster> pending() {
    return clusters.all().stream()
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
  public List<Orphan> orphans() {
    return core.orphans();
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
    return Fabrics.of(record, backends);
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
    try {
      if (!reign.deposed()) {
        ending.run();
        if (ending.leavesNothing()) {
          effects.sweep();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ClusterException e) {
      log.warn("The engine closes without ending what it held", e);
    } finally {
      letGo();
    }
  }

  /**
   * Lets go of everything as it is, as if this program had crashed: nothing is ended and nothing is
   * written. Another engine with the same store and directory goes on.
   */
  public void halt() {
    if (refuseLaunches()) {
      reign.depose();
      letGo();
    }
  }

  private void letGo() {
    try (Closer closer = new Closer()) {
      closer.add("journal", config.store()::close);
      closer.add("leadership", reign::close);
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

  /** When the engine's clock says it is. */
  Instant now() {
    return config.clock().instant();
  }
}

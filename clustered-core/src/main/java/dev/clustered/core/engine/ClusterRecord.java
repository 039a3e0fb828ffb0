// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.Cluster;
import dev.clustered.ClusterListener;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.core.engine.files.SentFiles;
import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.NodeLife;
import dev.clustered.core.rendezvous.HandOver;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterId;
import dev.clustered.model.FabricReport;
import dev.clustered.model.Node;
import dev.clustered.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A cluster as the engine holds it: its life, what is not to be journaled, and who waits for it.
 * The loop's thread writes; any thread reads what is volatile.
 */
final class ClusterRecord {

  final ClusterId id;
  final WorkDocuments.Works works;
  final List<ClusterListener> listeners;

  /** Done when it is written in the journal. */
  final CompletableFuture<ClusterId> accepted = new CompletableFuture<>();

  final CompletableFuture<Cluster> ready = new CompletableFuture<>();
  final CompletableFuture<ClusterExit> exit = new CompletableFuture<>();
  final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** Nodes that must be gone, or have forgotten the cluster, before it has ended. */
  final TreeSet<NodeId> leaving = new TreeSet<>();

  /** Nodes of which it holds a part, or held one before they were lost. */
  final TreeSet<NodeId> held = new TreeSet<>();

  /** Nodes that it lost, as they were. */
  final Map<NodeId, NodeLife> lost = new TreeMap<>();

  /** Nodes whose agents named it in their last report. */
  final TreeSet<NodeId> listing = new TreeSet<>();

  /** Times that it waits for. */
  final List<Watch> watches = new ArrayList<>();

  /** Whether it was read from the journal, so that what agents reported before is not known. */
  private final boolean restored;

  /** Bytes of the files sent that each rank's node has received in this attempt. */
  final Map<Integer, Long> received = new TreeMap<>();

  final EndOrder ends = new EndOrder();
  final SpareRest spares = new SpareRest();

  /** What its nodes may fetch; nothing once it has ended, since it may be large. */
  volatile SentFiles sent;

  volatile ClusterLife life;
  volatile List<Node> nodes = List.of();
  volatile Optional<FabricReport> fabric = Optional.empty();

  /** What each rank is handed, by rank; empty before the attempt joins. */
  List<HandOver> handOvers = List.of();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition attempts = lock.newCondition();

  /** What a rank runs, all attempts the same. */
  WorkDocument work(int rank) {
    return works.of(life.request().spec(), rank);
  }

  /**
   * Waits for an attempt after one.
   *
   * @return its number; 0 when the cluster has ended without one, or {@code closed} is so
   */
  int awaitAttempt(int after, BooleanSupplier closed) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        ClusterLife now = life;
        if (closed.getAsBoolean()) {
          return 0;
        }
        if (now.attempt() > after) {
          return after + 1;
        }
        if (now.finished() || now.state().ended()) {
          return 0;
        }
        attempts.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Another attempt has begun, or none will. */
  void attemptsChanged() {
    lock.lock();
    try {
      attempts.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Another attempt has begun. */
  void newAttempt() {
    handOvers = List.of();
    received.clear();
    int attempt = life.attempt();
    watches.removeIf(watch -> watch.attempt().isPresent() && watch.attempt().getAsInt() < attempt);
  }

  /** Whether the agent of a node may have something of it. */
  boolean mayBeListed(NodeId node) {
    return restored || listing.contains(node);
  }

  ClusterRecord(
      ClusterLife life,
      WorkDocuments.Works works,
      SentFiles sent,
      List<ClusterListener> listeners) {
    this(life, works, sent, listeners, false);
  }

  /** A cluster that may have been read from the journal. */
  ClusterRecord(
      ClusterLife life,
      WorkDocuments.Works works,
      SentFiles sent,
      List<ClusterListener> listeners,
      boolean restored) {
    this.restored = restored;
    this.id = life.request().cluster();
    this.life = life;
    this.works = works;
    this.sent = sent;
    this.listeners = new CopyOnWriteArrayList<>(listeners);
    if (restored) {
      accepted.complete(id);
    }
  }
}

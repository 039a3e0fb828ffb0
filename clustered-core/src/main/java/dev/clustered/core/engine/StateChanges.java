// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.ClusterMachine;
import dev.clustered.core.lifecycle.Command;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.Transition;
import dev.clustered.core.plan.CoolDown;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What facts make of the engine's state. The same facts in the same order make the same state, when
 * they are new and when the journal is read again: nothing here reads a clock, nor what only agents
 * and backends know. Owned by the loop's thread.
 */
final class StateChanges {

  /** How long a zone and shape is left alone after it had no capacity. */
  static final Duration COOL_DOWN = Duration.ofSeconds(5);

  /** How many clusters that have ended are remembered. */
  static final int MOST_ENDED = 1_000;

  private final EngineState state;
  private final NodeBook book;
  private final Function<Fact.Submitted, ClusterRecord> records;
  private final Duration idleNodeTime;
  private final Outcome outcome;

  /** What is to be done besides. Facts that it records are applied when the current one is. */
  interface Outcome {

    /** What a life cycle asks for, but for what changes the state. */
    void command(ClusterRecord cluster, Command command);

    /** Something else may be desired of a node. */
    void touched(NodeId node);

    /** A cluster gave its parts of nodes back; nobody needs these nodes any more. */
    void gaveBack(ClusterRecord cluster, List<NodeId> idle);

    /** Nodes that a cluster waited for are gone. */
    void left(ClusterRecord cluster);

    /** A cluster holds nothing any more and has ended. */
    void ended(ClusterRecord cluster);

    /** A cluster ended so long ago that it is not remembered any more. */
    void forgotten(ClusterRecord cluster);

    /** Nothing: the facts are not new, and what followed from them is written after them. */
    Outcome NONE =
        new Outcome() {
          @Override
          public void command(ClusterRecord cluster, Command command) {}

          @Override
          public void touched(NodeId node) {}

          @Override
          public void gaveBack(ClusterRecord cluster, List<NodeId> idle) {}

          @Override
          public void left(ClusterRecord cluster) {}

          @Override
          public void ended(ClusterRecord cluster) {}

          @Override
          public void forgotten(ClusterRecord cluster) {}
        };
  }

  /**
   * Changes of a state.
   *
   * @param records makes the record of a cluster when it comes
   */
  StateChanges(
      EngineState state,
      NodeBook book,
      Function<Fact.Submitted, ClusterRecord> records,
      Duration idleNodeTime,
      Outcome outcome) {
    this.state = state;
    this.book = book;
    this.records = records;
    this.idleNodeTime = idleNodeTime;
    this.outcome = outcome;
  }

  void apply(Fact fact) {
    switch (fact) {
      case Fact.Submitted submitted -> submitted(submitted);
      case Fact.OfCluster ofCluster -> ofCluster(ofCluster);
      case Fact.NodeJoined joined -> joined(joined);
      case Fact.NodeLost lost -> lost(lost);
      case Fact.NodeNoticed noticed -> noticed(noticed);
      case Fact.NodesEnding ending -> book.ending(ending.nodes());
      case Fact.NodesEnded ended -> ended(ended);
    }
  }

  private void submitted(Fact.Submitted fact) {
    ClusterRecord cluster = records.apply(fact);
    state.clusters.put(cluster.id, cluster);
    accept(cluster, ClusterMachine.submit(fact), fact.at());
  }

  private void ofCluster(Fact.OfCluster fact) {
    launches(fact);
    state.cluster(fact.cluster()).ifPresent(cluster -> ofCluster(cluster, fact));
  }

  private void ofCluster(ClusterRecord cluster, Fact.OfCluster fact) {
    cluster.watches.removeIf(watch -> watch.passed(cluster.id, fact.at()).equals(fact));
    book.before(cluster, fact);
    if (fact instanceof Fact.Released && cluster.life.requeuing()) {
      // What is being given back is waited for at the cluster's end.
      cluster.held.removeIf(node -> state.node(node).filter(NodeBook::isGoing).isEmpty());
    }
    accept(cluster, ClusterMachine.apply(cluster.life, fact), fact.at());
    if (cluster.life.state().ended()) {
      ended(cluster);
    }
  }

  private void ended(ClusterRecord cluster) {
    state.clusters.remove(cluster.id);
    state.ended.put(cluster.id, cluster);
    outcome.ended(cluster);
    if (state.ended.size() > MOST_ENDED) {
      ClusterRecord oldest = state.ended.values().iterator().next();
      state.ended.remove(oldest.id);
      outcome.forgotten(oldest);
    }
  }

  private void launches(Fact.OfCluster fact) {
    switch (fact) {
      case Fact.LaunchDecided decided -> state.launches.put(decided.launch(), decided);
      case Fact.LaunchGranted granted ->
          launch(granted.launch()).ifPresent(decided -> book.granted(decided, granted.nodes()));
      case Fact.LaunchFailed failed ->
          launch(failed.launch()).ifPresent(decided -> coolDown(decided, failed));
      default -> {}
    }
  }

  private Optional<Fact.LaunchDecided> launch(dev.clustered.model.LaunchId over) {
    return Optional.ofNullable(state.launches.remove(over));
  }

  private void coolDown(Fact.LaunchDecided decided, Fact.LaunchFailed failed) {
    if (failed.code() == ErrorCode.CANCELLED) { // That one says nothing of the zone.
      return;
    }
    Offer offer = decided.offer();
    state.coolDowns.add(
        new CoolDown(
            offer.backend(),
            offer.zone(),
            offer.shape().name(),
            failed.at().plus(COOL_DOWN),
            failed.message()));
  }

  // ---- nodes

  private void joined(Fact.NodeJoined fact) {
    book.joined(fact.node(), fact.at(), fact.address());
    for (ClusterRecord cluster : state.holders(fact.node())) {
      accept(cluster, ClusterMachine.nodeJoined(cluster.life, fact.node(), fact.at()), fact.at());
    }
  }

  private void noticed(Fact.NodeNoticed fact) {
    state.announced.put(fact.node(), fact);
    for (ClusterRecord cluster : state.holders(fact.node())) {
      accept(cluster, ClusterMachine.nodeNoticed(cluster.life, fact), fact.at());
    }
  }

  private void lost(Fact.NodeLost fact) {
    List<ClusterRecord> holders = state.holders(fact.node());
    book.lost(fact.node());
    for (ClusterRecord cluster : holders) {
      state.node(fact.node()).ifPresent(life -> cluster.lost.put(life.id(), life));
      accept(cluster, ClusterMachine.nodeLost(cluster.life, fact), fact.at());
    }
  }

  private void ended(Fact.NodesEnded fact) {
    fact.nodes().forEach(node -> book.ended(node, fact.at()));
    for (ClusterRecord cluster : state.clusters.values()) {
      if (cluster.leaving.removeAll(fact.nodes())) {
        outcome.left(cluster);
      }
    }
  }

  // ---- clusters

  private void accept(ClusterRecord cluster, Transition transition, Instant at) {
    ClusterLife before = cluster.life;
    ClusterLife life = transition.life();
    cluster.life = life;
    if (before.attempt() != life.attempt()) {
      cluster.newAttempt();
    }
    if (before.attempt() != life.attempt() || before.finished() != life.finished()) {
      cluster.attemptsChanged();
    }
    // A report changes one rank: what is done for all ranks waits for a change of them all.
    if (before.state() != life.state() || before.ranks().size() != life.ranks().size()) {
      book.after(cluster, at);
    }
    if (!DesiredWorks.same(before, life)) {
      Stream.concat(before.ranks().stream(), life.ranks().stream())
          .forEach(rank -> outcome.touched(rank.node()));
    }
    transition.commands().forEach(command -> command(cluster, command, at));
  }

  private void command(ClusterRecord cluster, Command command, Instant at) {
    Watch.of(command, at).ifPresent(cluster.watches::add);
    switch (command) {
      case Command.Release release -> release(cluster, at);
      case Command.Requeue requeue -> requeue(cluster, at);
      case Command.Tell tell -> {
        cluster.ends.hear(tell.event(), cluster.life.attempt());
        outcome.command(cluster, command);
      }
      default -> outcome.command(cluster, command);
    }
  }

  private void release(ClusterRecord cluster, Instant at) {
    List<NodeId> idle = giveBack(cluster, at);
    cluster.life.ranks().stream()
        .map(rank -> rank.node())
        .filter(state.nodes::containsKey)
        .forEach(cluster.leaving::add);
    cluster.held.stream()
        .filter(node -> idle.contains(node) || isGoing(node))
        .forEach(cluster.leaving::add);
    outcome.gaveBack(cluster, idle);
  }

  /** Nothing of the attempt runs any more; an agent may still be deleting what it left. */
  private void requeue(ClusterRecord cluster, Instant at) {
    List<NodeId> idle = giveBack(cluster, at);
    cluster.held.stream()
        .filter(cluster::mayBeListed)
        .filter(state.nodes::containsKey)
        .forEach(cluster.leaving::add);
    outcome.gaveBack(cluster, idle);
  }

  private List<NodeId> giveBack(ClusterRecord cluster, Instant at) {
    List<NodeId> idle = book.release(cluster, at, idleNodeTime);
    cluster.held.forEach(outcome::touched);
    return idle;
  }

  private boolean isGoing(NodeId node) {
    return state.node(node).filter(NodeBook::isGoing).isPresent();
  }
}

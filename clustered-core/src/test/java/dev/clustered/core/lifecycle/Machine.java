// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** One cluster in the hands of the machine, all of whose facts come at one moment. */
final class Machine {

  static final ClusterId ID = new ClusterId("cl-1");
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  /** The nodes in rank order. */
  final List<NodeId> nodes;

  /** All that was to be done so far. */
  final List<Command> commands = new ArrayList<>();

  ClusterLife life;

  /** Submitted, with a ready timeout of a minute. */
  Machine(ClusterSpec spec) {
    this(spec, spec.nodes());
  }

  /** The same, which begins with so many nodes. */
  Machine(ClusterSpec spec, int size) {
    nodes = IntStream.range(0, size).mapToObj(n -> new NodeId("nd-" + n)).toList();
    Optional<Duration> limit = Optional.of(Duration.ofMinutes(1));
    Fact.Submitted fact =
        new Fact.Submitted(ID, NOW, spec, Optional.empty(), Optional.empty(), limit);
    life = kept(ClusterMachine.submit(fact));
  }

  private ClusterLife kept(Transition transition) {
    commands.addAll(transition.commands());
    return transition.life();
  }

  void know(Fact.OfCluster fact) {
    life = kept(ClusterMachine.apply(life, fact));
  }

  /** A rank of the current attempt reports. */
  void report(int rank, RankReport report) {
    report(life.attempt(), rank, report);
  }

  void report(int attempt, int rank, RankReport report) {
    know(new Fact.RankReported(ID, NOW, attempt, rank, report));
  }

  /** It gets nodes of the pool, whose agents have reported. */
  void place(Fact.Slot... spares) {
    List<Fact.Slot> all = new ArrayList<>(slots());
    all.addAll(List.of(spares));
    know(new Fact.Placed(ID, NOW, all));
  }

  /** The same where each rank has these GPUs of its node. */
  @SafeVarargs
  final void placeWithGpus(List<Integer>... gpus) {
    List<Fact.Slot> all =
        IntStream.range(0, gpus.length)
            .mapToObj(rank -> new Fact.Slot(nodes.get(rank), gpus[rank]))
            .toList();
    know(new Fact.Placed(ID, NOW, all));
  }

  /** Its nodes are granted, and boot. */
  void grant() {
    know(new Fact.LaunchGranted(ID, NOW, new LaunchId("la-1"), List.of(), slots()));
  }

  private List<Fact.Slot> slots() {
    return nodes.stream().map(node -> new Fact.Slot(node, List.of())).toList();
  }

  void boot() {
    nodes.forEach(node -> life = kept(ClusterMachine.nodeJoined(life, node, NOW)));
  }

  void join(NodeId node) {
    life = kept(ClusterMachine.nodeJoined(life, node, NOW));
  }

  void lose(int rank) {
    lose(nodes.get(rank));
  }

  void lose(NodeId node) {
    life = kept(ClusterMachine.nodeLost(life, new Fact.NodeLost(node, NOW, "silent", false)));
  }

  /** The node of a rank is lost, as its backend had announced. */
  void loseAnnounced(int rank) {
    NodeId node = nodes.get(rank);
    life = kept(ClusterMachine.nodeLost(life, new Fact.NodeLost(node, NOW, "taken", true)));
  }

  /** All ranks prepare; the leader's port tells the attempt. */
  void prepare() {
    for (int rank = 0; rank < nodes.size(); rank++) {
      report(rank, new RankReport.Prepared(rank == 0 ? 21_000 + life.attempt() : 0));
    }
  }

  void join() {
    prepare();
    for (int rank = 0; rank < nodes.size(); rank++) {
      report(rank, new RankReport.Joined(nodes.size(), rank));
    }
  }

  void run() {
    join();
    for (int rank = 0; rank < nodes.size(); rank++) {
      report(rank, new RankReport.Running(rank + 1));
    }
  }

  void exits(int rank, int code) {
    report(rank, exit(code));
  }

  static RankReport.Exited exit(int code) {
    return new RankReport.Exited(new ProcessEnd.Code(code), NOW, false);
  }

  static RankReport.Exited notStarted() {
    return new RankReport.Exited(new ProcessEnd.NotStarted(127, "none"), NOW, false);
  }

  static RankReport.Finished finish(int code) {
    return new RankReport.Finished(
        Optional.of(new ProcessEnd.Code(code)), Optional.of(NOW), false, Optional.empty());
  }

  static RankReport.Finished killed() {
    return new RankReport.Finished(
        Optional.of(new ProcessEnd.Signal(15)), Optional.of(NOW), true, Optional.empty());
  }

  /** Ended by the engine, after it had said how far it was. */
  static RankReport.Finished killedAt(long step) {
    return new RankReport.Finished(
        Optional.of(new ProcessEnd.Signal(15)),
        Optional.of(NOW),
        true,
        Optional.empty(),
        Optional.of(step),
        Optional.empty());
  }

  <T> List<T> commands(Class<T> kind) {
    return commands.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  Outcome outcome() {
    return life.verdict().orElseThrow().outcome();
  }

  ErrorCode cause() {
    return life.verdict().orElseThrow().cause().orElseThrow().code();
  }
}

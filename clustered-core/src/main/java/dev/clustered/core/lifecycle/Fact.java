// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterNotice;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ClusterState;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.TopologyPath;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Something that is so, with the time at which the engine knew it: an entry of the journal. */
public sealed interface Fact {

  /** When the engine knew it. */
  Instant at();

  /** A fact about one cluster alone. */
  sealed interface OfCluster extends Fact {
    /** The cluster. */
    ClusterId cluster();
  }

  /**
   * A user asks for a cluster.
   *
   * @param key of all launches with it there is one cluster
   */
  record Submitted(
      ClusterId cluster,
      Instant at,
      ClusterSpec spec,
      Optional<RdmaOptions> rdma,
      Optional<String> backend,
      Optional<Duration> readyTimeout,
      Optional<String> key,
      Lifetime lifetime)
      implements OfCluster {

    /** Without a key, ending with its engine. */
    public Submitted(
        ClusterId cluster,
        Instant at,
        ClusterSpec spec,
        Optional<RdmaOptions> rdma,
        Optional<String> backend,
        Optional<Duration> readyTimeout) {
      this(cluster, at, spec, rdma, backend, readyTimeout, Optional.empty(), Lifetime.ATTACHED);
    }
  }

  /** The planner found no place yet. */
  record Waits(
      ClusterId cluster, Instant at, List<WaitReason> reasons, Optional<Instant> expectedStart)
      implements OfCluster {}

  /** The planner found that it can never be. */
  record Refused(ClusterId cluster, Instant at, ErrorCode code, String message)
      implements OfCluster {}

  /** The planner gives the gang nodes that are there; slots in rank order, then its spares. */
  record Placed(ClusterId cluster, Instant at, List<Slot> slots) implements OfCluster {}

  /** The planner gives it other nodes for those that it lost. */
  record Replaced(ClusterId cluster, Instant at, List<Replacement> replacements)
      implements OfCluster {
    public Replaced {
      replacements = List.copyOf(replacements);
    }
  }

  /** There is no other node for one that it lost: it goes on with these ranks, in their order. */
  record Resized(ClusterId cluster, Instant at, List<Integer> ranks) implements OfCluster {
    public Resized {
      ranks = List.copyOf(ranks);
    }
  }

  /**
   * The planner gives it more nodes of the pool.
   *
   * @param ranks of the ranks that the next attempt has more, in the order of their numbers
   * @param spares of what it holds more beside its ranks
   */
  record Grown(ClusterId cluster, Instant at, List<Slot> ranks, List<Slot> spares)
      implements OfCluster {
    public Grown {
      ranks = List.copyOf(ranks);
      spares = List.copyOf(spares);
    }
  }

  /**
   * There is no other node for one that it lost: it gives its nodes back and waits for new ones.
   */
  record Requeued(ClusterId cluster, Instant at, List<WaitReason> reasons) implements OfCluster {}

  /** A phase of it took as long as it may. */
  record PhaseTimeoutPassed(ClusterId cluster, Instant at, ClusterState state, int attempt)
      implements OfCluster {}

  /** The planner wants nodes launched for the gang. */
  record LaunchDecided(
      ClusterId cluster,
      Instant at,
      LaunchId launch,
      Offer offer,
      List<NodeId> nodes,
      Optional<RdmaOptions> rdma)
      implements OfCluster {}

  /** The backend granted the whole launch; slots in rank order, then its spares. */
  record LaunchGranted(
      ClusterId cluster, Instant at, LaunchId launch, List<Granted> nodes, List<Slot> slots)
      implements OfCluster {}

  /** The backend granted nothing, and nothing is left. */
  record LaunchFailed(
      ClusterId cluster, Instant at, LaunchId launch, ErrorCode code, String message)
      implements OfCluster {}

  /** A rank's agent reported. */
  record RankReported(ClusterId cluster, Instant at, int attempt, int rank, RankReport report)
      implements OfCluster {}

  /** Somebody wants it ended. */
  record StopRequested(ClusterId cluster, Instant at, Duration grace, String why)
      implements OfCluster {}

  /** It did not run in time. */
  record ReadyTimeoutPassed(ClusterId cluster, Instant at) implements OfCluster {}

  /** The pause after a failed attempt is over. */
  record PauseOver(ClusterId cluster, Instant at, int attempt) implements OfCluster {}

  /** Since a rank ended so much time is over that the silence of the others may be a hang. */
  record SilencePassed(ClusterId cluster, Instant at, int attempt) implements OfCluster {}

  /** It ran as long as it may. */
  record TimeLimitPassed(ClusterId cluster, Instant at) implements OfCluster {}

  /** The cluster holds no part of any node any more. */
  record Released(ClusterId cluster, Instant at) implements OfCluster {}

  /** A node's agent reported for the first time. */
  record NodeJoined(NodeId node, Instant at, String address) implements Fact {}

  /** A node is gone or silent; announced where its backend had said that it takes it back. */
  record NodeLost(NodeId node, Instant at, String message, boolean announced) implements Fact {}

  /** A backend announces something of a node. */
  record NodeNoticed(
      NodeId node, Instant at, ClusterNotice.Kind kind, Optional<Instant> deadline, String message)
      implements Fact {}

  /** Nodes are being given back. */
  record NodesEnding(List<NodeId> nodes, Instant at) implements Fact {}

  /** Nodes are given back for sure. */
  record NodesEnded(List<NodeId> nodes, Instant at) implements Fact {}

  /** A rank's part of a node. */
  record Slot(NodeId node, List<Integer> gpus) {
    public Slot {
      gpus = List.copyOf(gpus);
    }
  }

  /**
   * Another node for a lost one.
   *
   * @param rank the rank; empty for a spare
   * @param lost the node that it had
   * @param to what it gets
   * @param booted whether the agent there has reported
   */
  record Replacement(OptionalInt rank, NodeId lost, Slot to, boolean booted) {}

  /** A node that a backend granted. */
  record Granted(NodeId node, String instance, TopologyPath topology) {}
}

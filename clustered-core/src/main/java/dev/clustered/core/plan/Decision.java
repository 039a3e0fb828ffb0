// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One thing to be done, or why nothing can be done. Immutable and thread-safe. */
public sealed interface Decision {

  /**
   * Give a gang nodes of the pool.
   *
   * @param assignments one for each rank, in rank order
   * @param spares what it holds beside them
   * @param roles what it runs as: one of what it asked for, with as many ranks as it got
   */
  record Place(
      ClusterId gang, List<Assignment> assignments, List<Assignment> spares, List<Role> roles)
      implements Decision {
    public Place {
      assignments = List.copyOf(assignments);
      spares = List.copyOf(spares);
      roles = List.copyOf(roles);
    }
  }

  /**
   * A rank's node.
   *
   * @param gpus the indices of the node's GPUs that the rank gets
   */
  record Assignment(NodeId node, List<Integer> gpus) {
    public Assignment {
      gpus = List.copyOf(gpus);
    }
  }

  /**
   * Launch all nodes of a gang as a unit: in one zone, with RDMA on one fabric. A gang whose roles
   * need several shapes gets one for each shape, all in one zone. For a gang that runs, the nodes
   * that replace lost ones, or when none of its ranks lacks one the spares that it lacks.
   */
  record Launch(ClusterId gang, Offer offer, int nodes, Optional<RdmaOptions> rdma)
      implements Decision {}

  /**
   * End others, and keep what they free for a gang.
   *
   * @param victims whom to end, in the order of their identities
   * @param shrinks who gives up ranks that it does not need to live
   * @param claim what is kept for the gang
   */
  record Preempt(ClusterId gang, List<ClusterId> victims, List<Shrink> shrinks, Claim claim)
      implements Decision {
    public Preempt {
      victims = List.copyOf(victims);
      shrinks = List.copyOf(shrinks);
    }
  }

  /**
   * Ranks that a gang gives up.
   *
   * @param ranks in their order
   */
  record Shrink(ClusterId gang, List<Integer> ranks) {
    public Shrink {
      ranks = List.copyOf(ranks);
    }
  }

  /**
   * Move ranks of others out of the way, and keep what they free for a gang.
   *
   * @param moves each rank, in the order of gangs and ranks; a gang moves as a whole attempt
   * @param cost the work that is lost in all
   * @param claim what is kept for the gang
   */
  record Migrate(ClusterId gang, List<Move> moves, Duration cost, Claim claim) implements Decision {
    public Migrate {
      moves = List.copyOf(moves);
    }
  }

  /** A rank that goes to another node. */
  record Move(ClusterId gang, int rank, NodeId from, Assignment to) {}

  /**
   * Give a running gang other nodes for those that it lost.
   *
   * @param replacements in rank order, then those of lost spares
   */
  record Replace(ClusterId gang, List<Replacement> replacements) implements Decision {
    public Replace {
      replacements = List.copyOf(replacements);
    }
  }

  /**
   * A rank that gets another node.
   *
   * @param rank the rank, or {@link #SPARE} when a spare was lost
   * @param lost the node that it had
   * @param to the node that it gets
   * @param spare whether that was one of the gang's own spares
   */
  record Replacement(int rank, NodeId lost, Assignment to, boolean spare) {

    /** Stands for the rank of a node that a gang held as a spare. */
    public static final int SPARE = -1;
  }

  /**
   * Let a running gang go on with fewer ranks. With a {@link Replace} before it, some of those that
   * go on have got other nodes.
   *
   * @param ranks those that go on, in their order
   */
  record Resize(ClusterId gang, List<Integer> ranks) implements Decision {
    public Resize {
      ranks = List.copyOf(ranks);
    }
  }

  /**
   * Give a running gang more than it has: between two attempts more ranks, and at any time spares
   * in the place of those that it used or lost.
   *
   * @param assignments one for each new rank, in the order of their numbers, which follow the last
   *     one that the gang has
   * @param spares what it holds more beside its ranks
   */
  record Grow(ClusterId gang, List<Assignment> assignments, List<Assignment> spares)
      implements Decision {
    public Grow {
      assignments = List.copyOf(assignments);
      spares = List.copyOf(spares);
    }
  }

  /** End a running gang that cannot go on, and let it wait at its old place in the queue. */
  record Requeue(ClusterId gang, List<WaitReason> reasons) implements Decision {
    public Requeue {
      reasons = List.copyOf(reasons);
    }
  }

  /**
   * Give nodes back that nobody holds.
   *
   * @param nodes in the order of their identities
   */
  record Release(List<NodeId> nodes) implements Decision {
    public Release {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * Nothing for now.
   *
   * @param expectedStart when the gang's nodes are expected, if that can be told
   */
  record Wait(ClusterId gang, List<WaitReason> reasons, Optional<Instant> expectedStart)
      implements Decision {
    public Wait {
      reasons = List.copyOf(reasons);
    }
  }

  /** It can never be, as far as the snapshot tells. */
  record Refuse(ClusterId gang, ErrorCode code, String message) implements Decision {}
}

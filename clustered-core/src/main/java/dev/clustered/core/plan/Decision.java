// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.WaitReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One thing to be done, or why nothing can be done. Immutable and thread-safe. */
public sealed interface Decision {

  /**
   * Give a gang nodes of the pool.
   *
   * @param assignments one for each rank, in rank order
   */
  record Place(ClusterId gang, List<Assignment> assignments) implements Decision {
    public Place {
      assignments = List.copyOf(assignments);
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

  /** Launch all nodes of a gang as a unit: in one zone, with RDMA on one fabric. */
  record Launch(ClusterId gang, Offer offer, int nodes, Optional<RdmaOptions> rdma)
      implements Decision {}

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

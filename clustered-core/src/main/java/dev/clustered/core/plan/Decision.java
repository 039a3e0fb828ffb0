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

/** One thing to do, or the reason why nothing can be done. */
public sealed interface Decision {

  /** Give a gang nodes of the pool, in rank order. */
  record Place(ClusterId gang, List<Assignment> assignments) implements Decision {}

  /** A rank's node and its GPUs there. */
  record Assignment(NodeId node, List<Integer> gpus) {}

  /** Launch all nodes of a gang as a unit. */
  record Launch(ClusterId gang, Offer offer, int nodes, Optional<RdmaOptions> rdma)
      implements Decision {}

  /** Give idle nodes back. */
  record Release(List<NodeId> nodes) implements Decision {}

  /** Nothing for now, and why. */
  record Wait(ClusterId gang, List<WaitReason> reasons, Optional<Instant> expectedStart)
      implements Decision {}

  /** It can never be. */
  record Refuse(ClusterId gang, ErrorCode code, String message) implements Decision {}
}

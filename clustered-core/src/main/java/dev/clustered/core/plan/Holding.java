// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.NodeId;
import dev.clustered.model.Resources;
import java.util.List;

/**
 * What a gang holds of a node. Immutable and thread-safe.
 *
 * @param takes how much of it
 * @param gpus the indices of the GPUs among it
 */
public record Holding(NodeId node, Resources takes, List<Integer> gpus) {
  public Holding {
    gpus = List.copyOf(gpus);
  }
}

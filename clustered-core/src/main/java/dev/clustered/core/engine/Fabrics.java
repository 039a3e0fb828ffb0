// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.backends.BackendRegistry;
import dev.clustered.model.FabricReport;
import dev.clustered.model.FabricReport.Evidence;
import dev.clustered.model.Node;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.Feature;
import java.util.List;
import java.util.Optional;

/** What is known of the fabric of a cluster. Stateless. */
final class Fabrics {

  private Fabrics() {}

  /** The report; empty for a cluster without RDMA or without nodes. */
  static Optional<FabricReport> of(ClusterRecord record, BackendRegistry backends) {
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
}

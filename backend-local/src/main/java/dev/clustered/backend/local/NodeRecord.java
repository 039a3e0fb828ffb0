// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.agent.OutlivingProcess;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.Instance.State;
import dev.clustered.spi.LaunchRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is written down of an outliving node, without any secret. Immutable and thread-safe.
 *
 * @param id the identity of the instance
 * @param node the identity of the node
 * @param launch the launch it belongs to
 * @param launched every node of that launch, in its order
 * @param owner the label of the engine
 * @param offer what was launched
 * @param zone the name of its zone
 * @param place the number of its place there
 * @param topology where that is
 * @param address the address it has on this machine
 * @param created when it was launched
 * @param state PENDING until the whole launch runs, RUNNING from then on
 * @param agent its agent, empty before that was started
 */
record NodeRecord(
    String id,
    NodeId node,
    LaunchId launch,
    List<NodeId> launched,
    String owner,
    Offer offer,
    String zone,
    int place,
    TopologyPath topology,
    String address,
    Instant created,
    State state,
    Optional<OutlivingProcess> agent) {

  NodeRecord {
    launched = List.copyOf(launched);
  }

  /** Of a node whose agent is about to be started. */
  static NodeRecord pending(
      String id,
      NodeId node,
      LaunchRequest request,
      LocalZone.Place place,
      String address,
      Instant created) {
    return new NodeRecord(
        id,
        node,
        request.id(),
        request.nodes().stream().map(LaunchRequest.Bootstrap::node).toList(),
        request.owner(),
        request.offer(),
        place.zone().name(),
        place.number(),
        place.topology(),
        address,
        created,
        State.PENDING,
        Optional.empty());
  }

  NodeRecord with(OutlivingProcess started) {
    return with(state, Optional.of(started));
  }

  /** The same once the whole launch runs. */
  NodeRecord running() {
    return with(State.RUNNING, agent);
  }

  private NodeRecord with(State now, Optional<OutlivingProcess> process) {
    return new NodeRecord(
        id, node, launch, launched, owner, offer, zone, place, topology, address, created, now,
        process);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.LaunchId;
import dev.clustered.model.Offer;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest.Bootstrap;
import java.util.List;

/**
 * One node: a slot of a zone, an address, and a host for its agent. Thread-safe.
 *
 * @param slot its number in the zone
 */
record LocalNode(
    int slot,
    String owner,
    LaunchId launch,
    Offer offer,
    Bootstrap bootstrap,
    TopologyPath topology,
    LoopbackAddress address,
    NodeHosts.Host host) {

  String id() {
    return "local-" + bootstrap.node();
  }

  Instance instance() {
    return new Instance(
        id(),
        bootstrap.node(),
        launch,
        owner,
        offer,
        topology,
        List.of(address.literal()),
        host.alive() ? Instance.State.RUNNING : Instance.State.ENDED);
  }

  /** Ends the agent with all that it runs, then frees the address. */
  void end() {
    host.end();
    address.close();
  }
}

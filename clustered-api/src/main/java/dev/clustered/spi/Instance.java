// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.TopologyPath;
import java.util.List;

/**
 * An instance as its backend sees it. Immutable and thread-safe.
 *
 * @param id the backend's own identity
 * @param node the node it was launched for
 * @param launch the launch it belongs to
 * @param owner the engine's label
 * @param offer what was launched
 * @param topology where it is; may be short of levels until it runs
 * @param addresses addresses at which other nodes reach it, best first, literals without brackets
 * @param state what it does
 */
public record Instance(
    String id,
    NodeId node,
    LaunchId launch,
    String owner,
    Offer offer,
    TopologyPath topology,
    List<String> addresses,
    State state) {

  /** What an instance does. */
  public enum State {
    PENDING,
    RUNNING,
    ENDING,
    ENDED
  }

  public Instance {
    addresses = List.copyOf(addresses);
  }
}

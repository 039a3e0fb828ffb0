// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import dev.clustered.model.NodeId;

/**
 * Something a backend knows about a node before or besides its agent. Immutable and thread-safe.
 *
 * @param node the node
 * @param kind what it is about
 * @param message a sentence with the evidence
 */
public record Notice(NodeId node, Kind kind, String message) {

  /** What a notice is about. */
  public enum Kind {
    /** The instance has ended and does not come back. */
    ENDED
  }
}

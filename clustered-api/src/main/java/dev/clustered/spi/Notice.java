// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import dev.clustered.model.NodeId;
import java.time.Instant;
import java.util.Optional;

/**
 * Something a backend knows about a node before or besides its agent. Immutable and thread-safe.
 *
 * @param node the node
 * @param kind what it is about
 * @param deadline when what is announced happens, by the backend's clock; empty when it has
 *     happened or nobody knows
 * @param message a sentence with the evidence
 */
public record Notice(NodeId node, Kind kind, Optional<Instant> deadline, String message) {

  /** What a notice is about. */
  public enum Kind {
    /** The instance has ended and does not come back. */
    ENDED,
    /** The backend takes the instance back: a spot interruption, for example. */
    INTERRUPTION,
    /** The backend is going to work on the instance's machine. */
    MAINTENANCE
  }

  /** Of something that has happened. */
  public Notice(NodeId node, Kind kind, String message) {
    this(node, kind, Optional.empty(), message);
  }
}

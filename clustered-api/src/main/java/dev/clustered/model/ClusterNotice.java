// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What every rank of a cluster is told of an end to come, so that it can keep what it has.
 * Immutable and thread-safe.
 *
 * @param kind what comes
 * @param rank whose node it is about; empty when it is about all
 * @param deadline until when; by the clock of the node for a stop, by that of the backend else;
 *     empty when nobody knows
 * @param message a sentence for people
 */
public record ClusterNotice(
    Kind kind, OptionalInt rank, Optional<Instant> deadline, String message) {

  /** What comes. */
  public enum Kind {
    /** This rank is ended: it has had SIGTERM, and gets SIGKILL at the deadline. */
    STOP,
    /** The backend takes a node back at the deadline. */
    INTERRUPTION,
    /** The backend works on a node from the deadline on. */
    MAINTENANCE
  }
}

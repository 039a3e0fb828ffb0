// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The one thing that ended a cluster. Immutable and thread-safe.
 *
 * @param code its stable code
 * @param rank the culprit, when it was a rank
 * @param end how that rank's process ended
 * @param message a sentence that says what happened
 * @param evidence what was seen of the culprit, and then why the other ranks that failed are
 *     victims: at most a dozen sentences however many ranks there are; empty where only one thing
 *     was known, or could be
 */
public record Cause(
    ErrorCode code,
    OptionalInt rank,
    Optional<ProcessEnd> end,
    String message,
    List<String> evidence) {

  public Cause {
    evidence = List.copyOf(evidence);
  }

  /** A cause that was known at once, without evidence beyond its message. */
  public Cause(ErrorCode code, OptionalInt rank, Optional<ProcessEnd> end, String message) {
    this(code, rank, end, message, List.of());
  }
}

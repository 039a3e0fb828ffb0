// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The one thing that ended a cluster. Immutable and thread-safe.
 *
 * @param code its stable code
 * @param rank the rank that failed first, when it was a rank
 * @param end how that rank's process ended
 * @param message a sentence with the evidence
 */
public record Cause(ErrorCode code, OptionalInt rank, Optional<ProcessEnd> end, String message) {}

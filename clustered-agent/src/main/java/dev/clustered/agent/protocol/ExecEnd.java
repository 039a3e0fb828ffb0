// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import java.util.Optional;

/**
 * What became of a command beside a rank, told when all that it wrote has been taken. Immutable and
 * thread-safe.
 *
 * @param end how it ended; empty when the node could not run it
 * @param endedBecause why it was ended, when it was
 * @param refusal why the node could not run it
 */
public record ExecEnd(
    Optional<ProcessEnd> end, Optional<String> endedBecause, Optional<Refusal> refusal) {

  /** Why a node could not run it. */
  public record Refusal(ErrorCode code, String message) {}

  /** It has ended. */
  public static ExecEnd ended(ProcessEnd end, Optional<String> because) {
    return new ExecEnd(Optional.of(end), because, Optional.empty());
  }

  /** The node could not run it. */
  public static ExecEnd refused(ErrorCode code, String message) {
    return new ExecEnd(Optional.empty(), Optional.empty(), Optional.of(new Refusal(code, message)));
  }
}

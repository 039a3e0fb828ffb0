// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.cause;

import dev.clustered.model.Cause;
import java.util.List;
import java.util.Optional;

/**
 * One culprit and its victims. Immutable and thread-safe.
 *
 * @param cause the culprit and the evidence; empty when no rank failed
 * @param victims the ranks that failed by themselves because of it, in rank order
 */
public record Judgement(Optional<Cause> cause, List<Integer> victims) {
  public Judgement {
    victims = List.copyOf(victims);
  }
}

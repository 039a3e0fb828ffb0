// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.List;

/**
 * What is to be done: first for running gangs that have lost nodes, then for each waiting gang in
 * the order of the queue, then for running gangs that get more, and then at most one {@link
 * Decision.Release}. Immutable and thread-safe.
 */
public record Plan(List<Decision> decisions) {

  public Plan {
    decisions = List.copyOf(decisions);
  }
}

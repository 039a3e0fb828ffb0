// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import java.util.List;

/** What to do, in order. */
public record Plan(List<Decision> decisions) {

  public Plan {
    decisions = List.copyOf(decisions);
  }
}

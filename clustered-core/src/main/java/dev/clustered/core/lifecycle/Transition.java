// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.lifecycle;

import java.util.List;

/** The next state of a cluster and what is to be done. */
public record Transition(ClusterLife life, List<Command> commands) {

  public Transition {
    commands = List.copyOf(commands);
  }
}

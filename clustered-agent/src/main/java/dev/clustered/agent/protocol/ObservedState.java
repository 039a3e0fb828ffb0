// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.util.List;

/**
 * What a node is. Immutable and thread-safe.
 *
 * @param sequence grows with every report of a session, so that an older report that arrives late
 *     is known
 * @param generation the newest desired state the agent has seen
 * @param work everything that is or was there and is still desired, or not yet gone
 */
public record ObservedState(long sequence, long generation, List<ObservedWork> work) {

  public ObservedState {
    work = List.copyOf(work);
  }
}

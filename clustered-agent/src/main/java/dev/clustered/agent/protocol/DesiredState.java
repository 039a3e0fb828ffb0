// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.util.List;

/**
 * What a node should be. Immutable and thread-safe.
 *
 * @param generation grows with every change
 * @param work what should run there; work that is not listed ends and its directory is deleted
 */
public record DesiredState(long generation, List<DesiredWork> work) {

  public DesiredState {
    work = List.copyOf(work);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.util.List;

/**
 * What a node should be. Immutable and thread-safe.
 *
 * @param generation grows with every change
 * @param work what should run there; work that is not listed ends and its directory is deleted
 * @param execs commands that should run beside works; absent when an engine knows of none
 */
public record DesiredState(long generation, List<DesiredWork> work, List<DesiredExec> execs) {

  public DesiredState {
    work = List.copyOf(work);
    execs = execs == null ? List.of() : List.copyOf(execs);
  }

  /** Without commands beside works. */
  public DesiredState(long generation, List<DesiredWork> work) {
    this(generation, work, List.of());
  }
}

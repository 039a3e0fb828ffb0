// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.torchrun;

import java.util.List;

/**
 * What the processes of one node give back; {@code train.py} writes it. Immutable and thread-safe.
 *
 * @param processes one for each, in the order of their process ranks
 */
public record NodeResult(List<ProcessResult> processes) {

  public NodeResult {
    processes = List.copyOf(processes);
  }
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.gpu;

/** What one look at a GPU came to. Immutable and thread-safe. */
public sealed interface GpuLook {

  /**
   * A kernel ran on it.
   *
   * @param percent of the driver's last sample, 1 to 100
   */
  record Worked(int percent) implements GpuLook {}

  /** No kernel ran on it in the driver's last sample. */
  record Idle() implements GpuLook {}

  /** Nothing is known of it. */
  record Unseen(String why) implements GpuLook {}
}

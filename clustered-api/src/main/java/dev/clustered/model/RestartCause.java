// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * Why an attempt is over before its time, as far as a {@link RestartPolicy} tells reasons apart.
 */
public enum RestartCause {
  /** A rank ended with a code other than 0 or by a signal. */
  RANK_FAILED,
  /** A node was lost: its agent fell silent, or its backend says that it has ended. */
  NODE_LOST,
  /** A node was lost that its backend had announced to take back. */
  PREEMPTED,
  /** The ranks did nothing any more. */
  HUNG,
  /** A rank could not be prepared or started, such as for a missing executable or volume. */
  START_FAILED
}

// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

/** Where the agents of local nodes run. */
public enum AgentPlace {
  /** In the JVM of the engine: fast, and nothing more to start. */
  IN_PROCESS,
  /** Each in a JVM of its own, which can be killed alone, as a machine can. */
  OWN_JVM,
  /**
   * Each in a JVM of its own that outlives this one, as a machine of a cloud does: whoever opens
   * the backend with the same directory again finds its nodes again. Closing the backend ends no
   * node; one ends when it is terminated, or by itself at the end of its lease.
   */
  OUTLIVING
}
